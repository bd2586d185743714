/** The API that a logged request was sent to; `page` is a hosted page. */
export const APIS = ['partner', 'control', 'page'] as const;
export type Api = (typeof APIS)[number];

export type HeaderList = readonly (readonly [name: string, value: string])[];

/** The size of a body as sent, and how the log keeps it. */
export interface KeptBody {
  bytes: number;
  encoding: 'utf8' | 'base64';
  /** Whether the log has only the beginning of the body, or has it without secrets. */
  altered: 'truncated' | 'redacted' | null;
  /** Hash of a response of which only the beginning is kept. */
  sha256?: string;
}

/** A request or a response; `body` is null if it was empty. */
export interface Message extends KeptBody {
  headers: HeaderList;
  body: string | null;
}
