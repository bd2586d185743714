/** The API that a logged request was sent to; `page` is a hosted page. */
export const APIS = ['partner', 'control', 'page'] as const;
export type Api = (typeof APIS)[number];

export type HeaderList = readonly (readonly [name: string, value: string])[];

/** A request or a response. */
export interface Message {
  headers: HeaderList;
  /** As text or base64; null if it was empty. */
  body: string | null;
  /** Size of the body as sent. */
  bytes: number;
  encoding: 'utf8' | 'base64';
  /** `truncated`: only the beginning is in the log, without secrets. `redacted`: all of it is, without secrets. */
  altered: 'truncated' | 'redacted' | null;
}
