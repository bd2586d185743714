import { IdSeries } from '../kernel/ids.ts';
import { sha256Hex } from '../signing/signature.ts';
import { DEFAULT_WORLD } from '../world/files.ts';
import type { RequestRun } from '../world/run.ts';
import type { RequestRow, Start } from './log-file.ts';
import type { Message } from './message.ts';
import type { Check, TraceStep } from './trace.ts';

/** The columns that are fields of an entry. The others are made when its row is written. */
export type EntryColumns = Omit<
  RequestRow,
  'seq' | 'world' | 'size' | 'requestId' | 'run' | 'start' | 'head' | 'body' | 'responseBody'
>;

/** A handled request with its secrets, before redaction. */
export interface RawEntry extends EntryColumns {
  request: Message;
  response: Message;
  /** How many bytes of the request body are kept, once it is redacted; by default `MAX_BODY`. */
  maxBody?: number;
  /** Why the body was not read, if it was not. */
  bodyRejection: { code: string; message: string; status: number } | null;
  /** Monotonic time of the start, ms, comparable within a process. `receivedAt` is the same for a whole event-loop tick. */
  startedMs: number;
  environment: string | null;
  /** SHA-256 of the body as sent (of an upload, its beginning); null if it was empty or is in the entry unchanged. */
  bodySha256: string | null;
  /** The string that the client signed, if a diagnosis found it and it is not the canonical string. */
  signedString: string | null;
  /** Its transactions in the world, which determine the order and the times of a replay. */
  runs: readonly RequestRun[];
  /** The id in the repro file that the entry was read from; otherwise it follows from `seq`. */
  requestId?: string | null;
  /** A passed check without detail is stored as its name. */
  steps: readonly (TraceStep | Check)[];
}

/** A partner API request, a control API call or a hosted page view, as read from the log. */
export interface RequestLogEntry extends Omit<RawEntry, 'steps' | 'maxBody'> {
  requestId: string;
  seq: number;
  /** How the sandbox that handled it was started. */
  start: Start;
  /** Whether the request has the secret of a credential. */
  sentSecret: boolean;
  trace: readonly TraceStep[];
  warnings: readonly string[];
}

/** Adds what the endpoint declares: details of checks, and warnings about ignored input. */
export type Annotate = (entry: RequestLogEntry) => RequestLogEntry;

/** Converts numbers of entries to request ids and back, alike in every world and sandbox. */
export const REQUEST_IDS = new IdSeries({ seed: 'sandlot', world: DEFAULT_WORLD, series: 0 });

/** The part of an entry that its row keeps as JSON: neither its columns nor the bodies. */
export interface Head
  extends Omit<RawEntry, keyof EntryColumns | 'requestId' | 'request' | 'response' | 'maxBody'>,
    Pick<RequestLogEntry, 'sentSecret'> {
  request: Omit<Message, 'body'>;
  response: Omit<Message, 'body'>;
}

/** Reads an entry from its row, not yet annotated: `Annotate` adds its warnings. */
export function readEntry(row: RequestRow): RequestLogEntry {
  const { seq, world, size, run, head, body, responseBody, ...columns } = row;
  const { steps, request, response, bodySha256, ...rest } = JSON.parse(head) as Head;
  const { bytes, encoding } = request;
  return {
    ...rest,
    ...columns,
    seq,
    requestId: columns.requestId ?? REQUEST_IDS.format('req', seq),
    request: { ...request, body: body || null },
    response: { ...response, body: responseBody || null },
    bodySha256: bodySha256 ?? (bytes > 0 ? sha256Hex(Buffer.from(body, encoding)) : null),
    trace: steps.map((step) =>
      typeof step === 'string' ? { check: step, result: 'passed' } : step,
    ),
    warnings: [],
  };
}
