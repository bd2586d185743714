import { and, asc, desc, eq, lte } from 'drizzle-orm';
import type { Store } from '../store/open.ts';
import { select } from '../store/table.ts';
import type { BaseStorage } from './base-storage.ts';
import { type EntryHead, headerPairs } from './log-entry.ts';
import { logSeries, type RequestRow, recordings, requests, steps } from './log-file.ts';
import type { LogSeries } from './log-options.ts';
import {
  type Base,
  type RecordedInput,
  type RecordedRequest,
  type Recording,
  type RecordingHead,
  recordedStep,
  type StoredStep,
} from './recording.ts';
import { replayedHeaders } from './replayed-headers.ts';
import type { Step } from './trace.ts';

/** The recordings of a world, as its log has them. */
export class Recordings {
  readonly #log: () => Store;
  readonly #series: LogSeries;
  readonly #bases: Pick<BaseStorage, 'take'>;

  /** @param log writes what is queued, and returns the log */
  constructor(log: () => Store, series: LogSeries, bases: Pick<BaseStorage, 'take'>) {
    this.#log = log;
    this.#series = series;
    this.#bases = bases;
  }

  /** Oldest first, without their serialized bases. */
  list(): Recording[] {
    return this.#log()
      .db.select({ id: recordings.id, head: recordings.head })
      .from(recordings)
      .orderBy(asc(recordings.id))
      .all()
      .map(recordingOf);
  }

  /** Returns the id of the recording of a request, and its number in it; undefined if it is not recorded. */
  find(requestId: string): { recording: number; n: number } | undefined {
    const log = this.#log();
    for (const { number, after } of seriesOf(log)) {
      const n = this.#series.idsOf(number).read('req', requestId);
      const input = n === undefined ? undefined : findInput(log, after + n);
      if (input) return input;
    }
    return undefined;
  }

  /** Returns the inputs of a recording in order, up to the first missing number. */
  inputs(recording: Recording): RecordedInput[] {
    const log = this.#log();
    const series = seriesOf(log);
    return readInputs(log, recording, (seq) => {
      const own = series.find(({ after }) => after < seq);
      return own ? this.#series.idsOf(own.number).format('req', seq - own.after) : '';
    });
  }

  /** Returns what a recording begins with; its bytes are undefined if they are not stored. */
  base({ id, base }: Recording): Base {
    if (base.kind === 'seed') return base;
    const row = this.#log()
      .db.select({ base: recordings.base })
      .from(recordings)
      .where(eq(recordings.id, id))
      .get();
    const name = row?.base ?? undefined;
    return { ...base, bytes: name === undefined ? undefined : this.#bases.take(name) };
  }
}

const newestSeries = select(logSeries, { orderBy: [desc(logSeries.id)] });

/** The id series of a log, newest first. */
export function seriesOf(log: Store) {
  return newestSeries(log).all();
}

function recordingOf({ id, head }: { id: number; head: string }): Recording {
  const { began, base, settings, ended } = JSON.parse(head) as RecordingHead;
  return {
    id,
    began,
    ended: ended?.reason ?? null,
    last: ended?.last ?? null,
    base: base.kind === 'seed' ? base : { kind: 'database', bytes: undefined },
    settings,
  };
}

/** Reads the inputs of a recording in order, up to the first missing number. */
function readInputs(
  log: Store,
  { id, last }: Recording,
  idOf: (seq: number) => string,
): RecordedInput[] {
  const rows = log.db.select().from(requests).where(eq(requests.recording, id)).all();
  const found: RecordedInput[] = rows.flatMap((row) => {
    const request = requestOf(row, idOf);
    return request ? [request] : [];
  });
  const before = last === null ? undefined : lte(steps.n, last);
  for (const { n, step } of log.db
    .select()
    .from(steps)
    .where(and(eq(steps.recording, id), before))
    .all()) {
    found.push(recordedStep(n, JSON.parse(step) as StoredStep));
  }
  found.sort((one, other) => one.n - other.n);
  const end = found.findIndex(({ n }, index) => n !== index + 1 || (last !== null && n > last));
  return end < 0 ? found : found.slice(0, end);
}

/** Returns the recording of an entry, and its number in it. */
function findInput(log: Store, seq: number): { recording: number; n: number } | undefined {
  const row = log.db.select().from(requests).where(eq(requests.seq, seq)).get();
  if (!row || row.recording === null) return undefined;
  const { input } = JSON.parse(row.head) as EntryHead;
  return input ? { recording: row.recording, n: input.n } : undefined;
}

function requestOf(row: RequestRow, idOf: (seq: number) => string): RecordedRequest | undefined {
  const head = JSON.parse(row.head) as EntryHead;
  const { input, api, method, target, body, status, bodyRejection, response } = head;
  if (!input) return undefined;
  const trace = head.steps.map(
    (step): Step => (typeof step === 'string' ? { check: step, result: 'passed' } : step),
  );
  return {
    kind: 'request',
    n: input.n,
    at: input.at,
    requestId: idOf(row.seq),
    api,
    method,
    target,
    headers: replayedHeaders(headerPairs(row.headers), bodyRejection !== null),
    body: Buffer.from(row.body, body.encoding),
    bodyResult: bodyRejection,
    signatureResult: signatureResultOf(trace, status),
    response: input.isLate
      ? null
      : status === null
        ? 'closed'
        : {
            status,
            headers: head.responseHeaders,
            body: row.response,
            whole:
              response?.sha256 === undefined
                ? null
                : { bytes: response.bytes, sha256: response.sha256 },
          },
    failedCheck: trace.find(({ result }) => result === 'failed')?.check ?? null,
  };
}

function signatureResultOf(
  trace: readonly Step[],
  status: number | null,
): RecordedRequest['signatureResult'] {
  const step = trace.find(({ check }) => check === 'signature');
  if (!step) return null;
  if (step.result !== 'failed') return 'passed';
  const { code = 'internal_error', message = '' } = step.detail ?? {};
  return { code: String(code), message: String(message), status: status ?? 401 };
}
