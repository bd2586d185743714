import { and, asc, eq, lte, sql } from 'drizzle-orm';
import type { ErrorCode } from '../../../kernel/errors.ts';
import { rowBySeq } from '../../../requests/list-requests.ts';
import { type EntryHead, headerPairs, REQUEST_IDS } from '../../../requests/log-entry.ts';
import { type RequestRow, requests } from '../../../requests/log-file.ts';
import type { Step } from '../../../requests/trace.ts';
import type { Store } from '../../../store/open.ts';
import type { SendResult } from '../../../webhooks/send.ts';
import type { ActStamp } from '../../../world/acts.ts';
import type {
  ActRecord,
  InputRecord,
  RequestRecord,
  ResponseRecord,
  SendRecord,
} from '../format.ts';
import type { Base, Recording } from './recording-store.ts';
import { acts, recordings } from './recording-store.ts';
import { replayedHeaders } from './replayed-headers.ts';

interface RecordingsOptions {
  /** Returns the log, without pending writes. */
  log(): Store;
  world: string;
  /** Returns the key of the open recording; undefined if there is none. */
  current(): string | undefined;
}

/** The data of a recording in a log entry. */
export interface RecordedPart {
  /** Key of the recording. */
  recording: string;
  acts: ActStamp[];
  /** Without an act: the number of the act before it, and real time. */
  after?: number;
  at?: number;
  /** Whether the recording ended before the response. */
  isLate?: boolean;
}

/** Reads the recordings in the log of a world. */
export class Recordings {
  readonly #options: RecordingsOptions;

  constructor(options: RecordingsOptions) {
    this.#options = options;
  }

  /** Oldest first, without their serialized bases. */
  list(): Recording[] {
    const { log, current, world } = this.#options;
    const columns = { id: recordings.id, key: recordings.key, head: recordings.head };
    const rows = log()
      .db.select(columns)
      .from(recordings)
      .where(eq(recordings.world, world))
      .orderBy(asc(recordings.id))
      .all();
    const killed = { reason: 'the process was killed', last: null };
    return rows.map(({ head, ...row }) => ({
      ...row,
      ...head,
      ended: head.ended ?? (row.key === current() ? null : killed),
    }));
  }

  /** Returns the key of the recording of a request; undefined if it is not recorded. */
  find(requestId: string): string | undefined {
    const log = this.#options.log();
    const seq = REQUEST_IDS.read('req', requestId);
    const row = seq === undefined ? undefined : rowBySeq(log, seq);
    if (!row?.acts || row.world !== this.#options.world) return undefined;
    return (JSON.parse(row.acts) as RecordedPart).recording;
  }

  /** Returns the requests and acts of a recording in the order of a file, up to the first missing act. */
  inputs({ id, key, ended }: Recording): InputRecord[] {
    const last = ended?.last ?? null;
    const log = this.#options.log();
    const work = log.db
      .select()
      .from(acts)
      .where(and(eq(acts.recording, id), last === null ? undefined : lte(acts.n, last)))
      .all()
      .map(({ act }) => JSON.parse(act) as ActRecord);
    const entries = log.db
      .select()
      .from(requests)
      .where(sql`${requests.acts} ->> '$.recording' = ${key}`)
      .all()
      .map((row) => recordsOf(row, REQUEST_IDS.format('req', row.seq)));
    const records = [...work, ...entries.flatMap(({ records }) => records)].sort(
      (a, b) => a.n - b.n,
    );
    const gap = records.findIndex(({ n }, index) => n !== index + 1);
    const end = Math.min(gap < 0 ? records.length : gap, last ?? records.length);
    return [...entries.map(({ request }) => withoutLaterActs(end, request)), ...records]
      .filter((input) => sortKeyOf(input) <= end + READ_OFFSET)
      .sort((a, b) => sortKeyOf(a) - sortKeyOf(b));
  }

  /** Returns the base of a recording; undefined if it was deleted to save space. */
  base({ id, base }: Recording): Base | undefined {
    if (base) return base;
    const row = this.#options
      .log()
      .db.select({ bytes: recordings.base })
      .from(recordings)
      .where(eq(recordings.id, id))
      .get();
    return row?.bytes ?? undefined;
  }
}

/** Sorts a request before its first act, or after the act whose state it read. */
function sortKeyOf(input: InputRecord): number {
  if (input.kind === 'act') return input.n;
  const [first] = input.acts;
  return first === undefined ? input.after + READ_OFFSET : first - REQUEST_OFFSET;
}

const READ_OFFSET = 0.5;
const REQUEST_OFFSET = 0.25;

/** Removes the acts of a request after an act, and then also its response. */
export function withoutLaterActs(end: number, request: RequestRecord): RequestRecord {
  if ((request.acts.at(-1) ?? 0) <= end) return request;
  const { response, ...requestOnly } = request;
  return { ...requestOnly, acts: requestOnly.acts.filter((n) => n <= end) };
}

/** Converts an act to the format of a file. */
export function toActRecord(
  { n, at, now, counters, given }: ActStamp,
  cause: ActRecord['cause'],
  params?: ActRecord['params'],
): ActRecord {
  return {
    kind: 'act',
    n,
    at,
    now,
    cause,
    ...(given !== undefined && { given: (given as SendResult[]).map(sendRecord) }),
    ...(counters && { counters }),
    ...(params && { params }),
  };
}

function sendRecord({ outcome, httpStatus, durationMs, response }: SendResult): SendRecord {
  return { outcome, http_status: httpStatus, duration_ms: durationMs, response };
}

/** Returns a request and its acts. */
function recordsOf(
  row: RequestRow,
  request_id: string,
): { request: RequestRecord; records: ActRecord[] } {
  const head = JSON.parse(row.head) as EntryHead;
  const { api, method, target, status } = row;
  const { body, response } = head;
  const body_result = head.bodyRejection as RequestRecord['body_result'];
  const { acts: stamps, after = 0, at = 0, isLate } = JSON.parse(row.acts ?? '{}') as RecordedPart;
  const [first] = stamps;
  const trace = head.steps.map(
    (step): Step => (typeof step === 'string' ? { check: step, result: 'passed' } : step),
  );
  const headers = replayedHeaders(headerPairs(row.headers), body_result !== null);
  const request: RequestRecord = {
    kind: 'request',
    request_id,
    after: first ? first.n - 1 : after,
    acts: stamps.map(({ n }) => n),
    at: first?.at ?? at,
    api,
    method,
    target,
    headers: headers.map(([name, value]) => [name, value]),
    body:
      row.body === '' ? null : body.encoding === 'utf8' ? { text: row.body } : { base64: row.body },
    body_result,
    signature_result: signatureResultOf(trace, status, row.response),
    failed_check: trace.find(({ result }) => result === 'failed')?.check ?? null,
  };
  const recordedResponse: ResponseRecord =
    status === null
      ? { closed: true }
      : {
          status,
          headers: head.responseHeaders.map(([name, value]) => [name, value]),
          body:
            response?.sha256 === undefined
              ? { text: row.response }
              : { bytes: response.bytes, sha256: response.sha256 },
        };
  const firstAct = first?.n ?? 0;
  return {
    request: isLate ? request : { ...request, response: recordedResponse },
    records: stamps.map((stamp, n) =>
      toActRecord(stamp, { type: 'request', of: firstAct, part: n + 1 }),
    ),
  };
}

/** Returns the result of the signature check. If it failed, the response has its error. */
function signatureResultOf(
  trace: readonly Step[],
  status: number | null,
  response: string,
): RequestRecord['signature_result'] {
  const step = trace.find(({ check }) => check === 'signature');
  if (!step) return null;
  if (step.result !== 'failed') return 'passed';
  const { error } = JSON.parse(response || '{}') as {
    error?: { code: ErrorCode; message: string };
  };
  return {
    code: error?.code ?? 'internal_error',
    message: error?.message ?? '',
    status: status ?? 401,
  };
}
