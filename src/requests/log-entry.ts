import { IdSeries } from '../kernel/ids.ts';
import { sha256Hex } from '../signing/signature.ts';
import { DEFAULT_WORLD } from '../world/files.ts';
import type { Run } from '../world/run.ts';
import type { RequestRow } from './log-file.ts';
import type { Api, HeaderList, KeptBody, Message } from './message.ts';
import type { Step, Trace } from './trace.ts';

/** The part of an entry that is stored in columns, which filters read. */
export interface EntryColumns {
  api: Api;
  /** Sandbox time, Unix ms. */
  at: number;
  /** Real time, Unix ms. */
  receivedAt: number;
  durationUs: number;
  keyId: string | null;
  partnerId: string | null;
  method: string;
  /** Path and query, as sent. */
  target: string;
  /** Declared path of the endpoint; null if there is none. */
  endpoint: string | null;
  /** Null if the connection was closed without a response. */
  status: number | null;
  code: string | null;
}

/** The part of an entry that is stored as JSON. */
export interface EntryHead {
  /** Why the body was not read, if it was not. */
  bodyRejection: { code: string; message: string; status: number } | null;
  /** On the monotonic clock of the process, ms: unlike `receivedAt`, not the same in all of one event-loop tick. */
  startedMs: number;
  environment: string | null;
  body: KeptBody;
  /** Hash of the body as sent; null if the stored body is the body as sent. */
  bodySha256: string | null;
  responseHeaders: HeaderList;
  /** Null if the stored response body is what was sent. */
  response: KeptBody | null;
  steps: readonly Trace['steps'][number][];
  /** Whether the request has the secret of a credential. */
  sentSecret?: true;
  /** The string that the client signed, if a diagnosis found it and it is not the canonical string. */
  signedString: string | null;
}

/** Returns the id of the fault that acted on a request. */
export function faultOf({ steps }: Pick<EntryHead, 'steps'>): string | null {
  const acted = steps.find((step) => typeof step !== 'string' && step.check === 'fault');
  const id = typeof acted === 'object' ? acted.detail?.fault_id : undefined;
  return typeof id === 'string' ? id : null;
}

/** A handled request with its secrets, before redaction. */
export interface RawEntry {
  columns: EntryColumns;
  head: EntryHead;
  /** Names and values in turn. */
  headers: readonly string[];
  /** base64 if it is not UTF-8. */
  body: string;
  response: string;
  /** Its transactions in the world, which give the order and the times of a replay. */
  runs: readonly Run[];
  /** The id that the request has, if it is not made of the number of the entry. */
  requestId?: string | undefined;
}

/** A partner API request, a control API call or a hosted page view, as read from the log. */
export interface RequestLogEntry
  extends EntryColumns,
    Omit<EntryHead, 'body' | 'response' | 'steps'> {
  requestId: string;
  seq: number;
  request: Message;
  response: Message;
  /** SHA-256 of the body as sent; null if there was none. */
  bodySha256: string | null;
  trace: readonly Step[];
  warnings: readonly string[];
  /** When it ran in the world: twice if an injected delay splits it. Empty if it is about no world. */
  runs: readonly Run[];
}

/** Adds what the declaration of the endpoint says: details of its checks, and warnings about the input. */
export type Annotate = (entry: RequestLogEntry) => RequestLogEntry;

/** The ids of requests, by the numbers of their entries. */
export const REQUEST_IDS = new IdSeries({ seed: 'sandlot', world: DEFAULT_WORLD, series: 0 });

export function readEntry(row: RequestRow): RequestLogEntry {
  const { seq, requestId, world: _, size: __, fault: ___, ...rest } = row;
  const { head: text, headers, body: bodyText, response: responseText, runs, ...columns } = rest;
  const { body, bodySha256, response, responseHeaders, steps, ...head } = JSON.parse(
    text,
  ) as EntryHead;
  const hash = () => sha256Hex(Buffer.from(bodyText, body.encoding));
  return {
    ...columns,
    ...head,
    requestId: requestId ?? REQUEST_IDS.format('req', seq),
    seq,
    request: { headers: headerPairs(headers), ...body, body: bodyText || null },
    response: {
      headers: responseHeaders,
      body: responseText || null,
      ...(response ?? keptWhole(responseText)),
    },
    responseHeaders,
    bodySha256: bodySha256 ?? (body.bytes > 0 ? hash() : null),
    trace: steps.map((step) =>
      typeof step === 'string' ? { check: step, result: 'passed' } : step,
    ),
    warnings: [],
    runs: JSON.parse(runs) as Run[],
  };
}

/** When a request ended, real time, Unix ms. */
export function endOf({ receivedAt, durationUs }: Pick<EntryColumns, 'receivedAt' | 'durationUs'>) {
  return receivedAt + Math.floor(durationUs / 1_000);
}

export function keptWhole(text: string): KeptBody {
  return { bytes: Buffer.byteLength(text), encoding: 'utf8', altered: null };
}

/** The headers of an entry, in the order sent. */
function headerPairs(headers: string): [name: string, value: string][] {
  const flat = JSON.parse(headers) as string[];
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) pairs.push([flat[at] ?? '', flat[at + 1] ?? '']);
  return pairs;
}
