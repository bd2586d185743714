import { and, asc, eq, lte, sql } from 'drizzle-orm';
import type { IdSeries } from '../../../kernel/ids.ts';
import { rowBySeq } from '../../../requests/list-requests.ts';
import { type EntryHead, headerPairs } from '../../../requests/log-entry.ts';
import { type RequestRow, requests } from '../../../requests/log-file.ts';
import { seriesOf } from '../../../requests/log-store.ts';
import type { Step } from '../../../requests/trace.ts';
import type { Store } from '../../../store/open.ts';
import type { ActStamp, WorkCause } from '../../../world/acts.ts';
import type { BaseStorage } from './base-storage.ts';
import type {
  ActRecord,
  Base,
  InputRecord,
  Recording,
  RecordingHead,
  RequestRecord,
  ResponseRecord,
  SendRecord,
} from './recording.ts';
import { replayedHeaders } from './replayed-headers.ts';
import { acts, recordings } from './tables.ts';

/** Where a request is: the key of its recording, and the number of its last act, or of the act before it. */
export interface FoundRequest {
  recording: string;
  last: number;
}

export interface RecordingsOptions {
  /** Writes what is queued, and returns the log. */
  log(): Store;
  /** The ids of a series of the log. */
  idsOf(series: number): IdSeries;
  bases: Pick<BaseStorage, 'take'>;
  /** The key of the recording that goes on; undefined if none does. */
  current(): string | undefined;
}

/** What an entry of the log has of a request in a recording. */
export interface RecordedPart {
  /** Key of the recording. */
  recording: string;
  acts: ActStamp[];
  /** Without an act: the number of the act before it, and real time. */
  after?: number;
  at?: number;
  /** Its recording ended before its response. */
  isLate?: boolean;
}

/** The recordings of a world, as its log has them. */
export class Recordings {
  readonly #log: () => Store;
  readonly #idsOf: RecordingsOptions['idsOf'];
  readonly #bases: RecordingsOptions['bases'];
  readonly #current: RecordingsOptions['current'];

  constructor({ log, idsOf, bases, current }: RecordingsOptions) {
    this.#log = log;
    this.#idsOf = idsOf;
    this.#current = current;
    this.#bases = bases;
  }

  /** Oldest first, without their serialized bases. */
  list(): Recording[] {
    const rows = this.#log().db.select().from(recordings).orderBy(asc(recordings.id)).all();
    return rows.map((row) => recordingOf(row, this.#current()));
  }

  /** Returns the place of a request in a recording; undefined if it is not recorded. */
  find(requestId: string): FoundRequest | undefined {
    const log = this.#log();
    for (const { number, after } of seriesOf(log)) {
      const n = this.#idsOf(number).read('req', requestId);
      const input = n === undefined ? undefined : findInput(log, after + n);
      if (input) return input;
    }
    return undefined;
  }

  /** Returns the requests and acts of a recording in the order of a file, up to the first missing act. */
  inputs(recording: Recording): InputRecord[] {
    const log = this.#log();
    const series = seriesOf(log);
    return readInputs(log, recording, (seq) => {
      const own = series.find(({ after }) => after < seq);
      return own ? this.#idsOf(own.number).format('req', seq - own.after) : '';
    });
  }

  /** Returns what a recording begins with; its bytes are undefined if they are not stored. */
  base({ key, base }: Recording): Base {
    return base.kind === 'seed' ? base : { ...base, bytes: this.#bases.take(key) };
  }
}

/** @param current the key of the recording that goes on */
function recordingOf(
  { id, key, head }: { id: number; key: string; head: string },
  current: string | undefined,
): Recording {
  const { began, base, settings, ended } = JSON.parse(head) as RecordingHead;
  return {
    id,
    key,
    began,
    ended: ended?.reason ?? (key === current ? null : 'the process was killed'),
    last: ended?.last ?? null,
    base: base.kind === 'seed' ? base : { kind: 'database', bytes: undefined },
    settings,
  };
}

/** Reads requests and acts in the order of a file, up to the first missing act. */
function readInputs(
  log: Store,
  { id, key, last }: Recording,
  idOf: (seq: number) => string,
): InputRecord[] {
  const found: ActRecord[] = log.db
    .select()
    .from(acts)
    .where(and(eq(acts.recording, id), last === null ? undefined : lte(acts.n, last)))
    .all()
    .map(({ n, act }) => workRecord(n, JSON.parse(act) as StoredWork));
  const entries = log.db
    .select()
    .from(requests)
    .where(sql`${requests.acts} ->> '$.recording' = ${key}`)
    .all()
    .map((row) => recordsOf(row, idOf));
  found.push(...entries.flatMap(({ own }) => own));
  found.sort((one, other) => one.n - other.n);
  const missing = found.findIndex(({ n }, index) => n !== index + 1);
  const end = Math.min(missing < 0 ? found.length : missing, last ?? found.length);
  const before = new Map<number, RequestRecord[]>();
  for (const { request } of entries) {
    // It stands before its first act, or after the act whose state it shows.
    const at = request.acts[0] ?? request.after + 1;
    if (at > end + (request.acts.length === 0 ? 1 : 0)) continue;
    const isComplete = (request.acts.at(-1) ?? 0) <= end;
    const { response, ...withoutResponse } = request;
    const kept = { ...withoutResponse, acts: request.acts.filter((n) => n <= end) };
    before.set(at, [
      ...(before.get(at) ?? []),
      isComplete && response ? { ...kept, response } : kept,
    ]);
  }
  const readsFirst = (one: RequestRecord, other: RequestRecord) =>
    one.acts.length - other.acts.length;
  return Array.from({ length: end + 1 }, (_, index) => [
    ...(before.get(index + 1) ?? []).toSorted(readsFirst),
    ...found.slice(index, Math.min(index + 1, end)),
  ]).flat();
}

/** Returns the recording of an entry, and its place in it. */
function findInput(log: Store, seq: number): FoundRequest | undefined {
  const row = rowBySeq(log, seq);
  if (!row?.acts) return undefined;
  const { recording, acts: own, after = 0 } = JSON.parse(row.acts) as RecordedPart;
  return { recording, last: own.at(-1)?.n ?? after };
}

/** How a send ended, as the recorder stores it. */
interface StoredSend {
  outcome: string;
  httpStatus: number | null;
  durationMs: number;
  response: string | null;
}

/** An act as the recorder stores it. */
type StoredWork = Omit<ActStamp, 'n'> & WorkCause;

function workRecord(n: number, { type, id, params, given, ...stamp }: StoredWork): ActRecord {
  return {
    kind: 'act',
    n,
    at: stamp.at,
    now: stamp.now,
    cause: { type, ...(id !== undefined && { id }) },
    ...(params && { params }),
    ...(given !== undefined && { given: sendRecords(given) }),
    ...(stamp.counters && { counters: stamp.counters }),
  };
}

/** Returns how sends ended, as a file has it. */
function sendRecords(given: unknown): SendRecord[] {
  return (given as StoredSend[]).map(({ outcome, httpStatus, durationMs, response }) => ({
    outcome,
    http_status: httpStatus,
    duration_ms: durationMs,
    response,
  }));
}

/** Returns a request and its acts. */
function recordsOf(
  row: RequestRow,
  idOf: (seq: number) => string,
): { request: RequestRecord; own: ActRecord[] } {
  const head = JSON.parse(row.head) as EntryHead;
  const { api, method, target, body, status, bodyRejection, response } = head;
  const input = JSON.parse(row.acts ?? '{}') as RecordedPart;
  const [first] = input.acts;
  const trace = head.steps.map(
    (step): Step => (typeof step === 'string' ? { check: step, result: 'passed' } : step),
  );
  const own = input.acts.map(
    ({ n, at, now, counters, given }, index): ActRecord => ({
      kind: 'act',
      n,
      at,
      now,
      cause: { type: 'request', of: first?.n ?? n, part: index + 1 },
      ...(given !== undefined && { given: sendRecords(given) }),
      ...(counters && { counters }),
    }),
  );
  const request: RequestRecord = {
    kind: 'request',
    request_id: idOf(row.seq),
    after: first ? first.n - 1 : (input.after ?? 0),
    acts: input.acts.map(({ n }) => n),
    at: first?.at ?? input.at ?? 0,
    api,
    method,
    target,
    headers: replayedHeaders(headerPairs(row.headers), bodyRejection !== null).map(
      ([name, value]) => [name, value],
    ),
    body:
      row.body === '' ? null : body.encoding === 'utf8' ? { text: row.body } : { base64: row.body },
    body_result: bodyRejection,
    signature_result: signatureResultOf(trace, status, row.response),
    failed_check: trace.find(({ result }) => result === 'failed')?.check ?? null,
  };
  if (input.isLate) return { request, own };
  if (status === null) return { request: { ...request, response: { closed: true } }, own };
  const recorded: ResponseRecord = {
    status,
    headers: head.responseHeaders.map(([name, value]) => [name, value]),
    body:
      response?.sha256 === undefined
        ? { text: row.response }
        : { bytes: response.bytes, sha256: response.sha256 },
  };
  return { request: { ...request, response: recorded }, own };
}

/** What verifying the signature gave: the response is that of the check, if it failed. */
function signatureResultOf(
  trace: readonly Step[],
  status: number | null,
  response: string,
): RequestRecord['signature_result'] {
  const step = trace.find(({ check }) => check === 'signature');
  if (!step) return null;
  if (step.result !== 'failed') return 'passed';
  const { error } = JSON.parse(response || '{}') as { error?: { code: string; message: string } };
  return {
    code: error?.code ?? 'internal_error',
    message: error?.message ?? '',
    status: status ?? 401,
  };
}
