import { lte, max } from 'drizzle-orm';
import { notFound } from '../kernel/errors.ts';
import type { IdSeries } from '../kernel/ids.ts';
import { closeStore, type Store } from '../store/open.ts';
import { inserter, param, prepared } from '../store/prepared.ts';
import type { World } from '../world/world.ts';
import { EntryNumbers, type NumberedEntry } from './entry-numbers.ts';
import { listRows, type RequestFilter, rowBySeq, type SeqRange } from './list-requests.ts';
import {
  type EntryHead,
  endOf,
  type RawEntry,
  type RequestLogEntry,
  readEntry,
} from './log-entry.ts';
import { maskKeyOf, openLog } from './log-file.ts';
import type { LogWatcher, RequestLogOptions } from './log-options.ts';
import { Mask } from './mask.ts';
import { Recorder, type RecorderOptions } from './recorder.ts';
import { MAX_BASE_BYTES, pruneRecordings, writeMark, writeStep } from './recording-store.ts';
import { Recordings, seriesOf } from './recordings.ts';
import { Redaction } from './redact.ts';
import { type RedactedEntry, redactEntry, secretsOfRequest } from './redact-entry.ts';
import { logSeries, type RequestRow, recordings, requests, steps } from './schema.ts';
import { type OnWritten, type QueuedEntry, type QueueRecord, WriteQueue } from './write-queue.ts';

export const DEFAULT_KEPT = 10_000;

const insert = inserter(requests);
const lastSeq = prepared((db) =>
  db
    .select({ seq: max(requests.seq) })
    .from(requests)
    .prepare(),
);
const prune = prepared((db) =>
  db
    .delete(requests)
    .where(lte(requests.seq, param('seq')))
    .prepare(),
);

/**
 * The newest requests of one world. They have a database of their own, which restoring a snapshot does not touch, and
 * are numbered in the order of `append`. A kill loses what is not written yet: usually 25 ms, under load the requests
 * for which writing had no time. Reading writes everything first.
 */
export class RequestLog {
  readonly #options: RequestLogOptions;
  readonly #watchers = new Set<LogWatcher>();
  readonly #queue: WriteQueue;
  #store: Store | undefined;
  /** How many entries were appended by this process. */
  #appended = 0;
  /** How many the file had when it was first opened. */
  #before = 0;
  #recorder: Recorder | undefined;
  /** What was recorded, for a replay. */
  readonly recordings: Recordings;
  #hasCountedFile = false;
  #closed = false;
  #numbers = new EntryNumbers(() => this.#readIds(this.#open()));
  #repeatsIds = false;
  #mask: Mask | undefined;
  /** Entries up to this number are pruned, or belong to a recording. */
  #pruned = 0;

  constructor(options: RequestLogOptions) {
    this.#options = options;
    const { runtime, kept, report } = options;
    this.#queue = new WriteQueue({
      runtime,
      limit: kept === 0 ? 0 : Math.max(kept, DEFAULT_KEPT),
      report,
      write: (records) => this.#write(records),
      dropped: (records) => this.#lose(records),
    });
    this.recordings = new Recordings(() => {
      const log = this.#written();
      this.#numbers.begin();
      return log;
    }, options.series);
  }

  /**
   * Adds an entry.
   * @param onWritten called when the entry is written, with the secrets that are in the request
   * @returns the entry by its number; undefined if none are kept
   */
  append(entry: RawEntry, onWritten?: OnWritten): NumberedEntry | undefined {
    if (this.#closed || this.#options.kept === 0) return undefined;
    this.#appended += 1;
    const order = this.#appended;
    this.#queue.push({ ...entry, order, onWritten });
    return this.#numbers.of(order);
  }

  get hasUnwritten(): boolean {
    return this.#queue.length > 0;
  }

  /** Writes what is not written yet. */
  flush(): void {
    if (!this.#closed) this.#queue.flush();
  }

  /** How many entries were appended since it was made, and how many of them are written or dropped. */
  get progress(): { appended: number; settled: number } {
    const { pushed, length } = this.#queue;
    return { appended: pushed, settled: pushed - length };
  }

  /** Newest first, those before the number `before`. @throws not_found once it is closed */
  list(
    filter: RequestFilter,
    page: { before?: number | undefined; limit: number },
  ): RequestLogEntry[] {
    const log = this.#written();
    const first = Math.max(this.#numbers.after, this.#last - this.#options.kept) + 1;
    return this.#read(listRows(log, filter, { ...page, first }));
  }

  /** The matching entries of a span of numbers, oldest first. */
  listSpan(filter: RequestFilter, span: SeqRange): RequestLogEntry[] {
    const first = Math.max(span.first, this.#numbers.after + 1);
    const rows = listRows(this.#open(), filter, { ...span, first, limit: -1 });
    return this.#read(rows.reverse());
  }

  /** @throws not_found */
  require(id: string): RequestLogEntry {
    const row = this.#rowOf(id);
    const [entry] = this.#read(row ? [row] : []);
    if (entry) return entry;
    throw notFound(
      `request_id: request ${id} not found; the log keeps only the newest, listed by GET /_sandbox/requests`,
    );
  }

  /** When a request ended, real time, Unix ms; undefined if the log does not have it. */
  endedAt(id: string): number | undefined {
    const row = this.#rowOf(id);
    return row && endOf(JSON.parse(row.head) as EntryHead);
  }

  /** Calls the watcher until the returned function is called. */
  watch(watcher: LogWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Deletes all entries and recordings. If the disk takes no write, the log stays as it is. */
  clear(): void {
    const { report } = this.#options;
    try {
      const store = this.#open();
      this.#recorder?.end('the request log was cleared');
      this.#queue.clear();
      store.client.transaction(() => {
        for (const table of [requests, steps, recordings]) store.db.delete(table).run();
        this.#beginSeries(store, false);
      })();
    } catch (error) {
      report(error);
    }
  }

  /**
   * Lists none of the entries so far. Numbers start over, in a new id series unless the old one is repeated. A recording
   * goes on, and keeps what it needs. If the disk takes no write, the log stays as it is.
   */
  startOver({ sameIds = false }: { sameIds?: boolean | undefined } = {}): void {
    try {
      const store = this.#open();
      if (this.#recorder === undefined) {
        this.#queue.clear();
        for (const table of [requests, steps, recordings]) store.db.delete(table).run();
      }
      store.client.transaction(() => this.#beginSeries(store, sameIds))();
    } catch (error) {
      this.#options.report(error);
    }
  }

  #beginSeries(store: Store, sameIds: boolean): void {
    const { series } = this.#options;
    // Also for the entries so far, which may still be asked for their ids.
    const { ids } = this;
    const number = sameIds ? ids.series : series.next();
    const after = this.#last;
    store.db.insert(logSeries).values({ number, after }).run();
    const nextIds = series.idsOf(number);
    this.#numbers = new EntryNumbers(() => nextIds);
    this.#numbers.before = this.#before;
    this.#numbers.after = after;
  }

  /** The number of the newest entry, once the file is open. */
  get #last(): number {
    return this.#before + this.#appended;
  }

  /** Follows the inputs of the world. */
  record(world: World, settings: RecorderOptions['settings']): Recorder {
    const recorder = new Recorder(world, {
      settings,
      runtime: this.#options.runtime,
      maxBase: MAX_BASE_BYTES[this.#options.file === undefined ? 'memory' : 'file'],
      push: (record) => this.#push(record),
      begin: (recording) => this.#push({ recording, after: this.#appended }),
    });
    this.#recorder = recorder;
    return recorder;
  }

  #push(record: QueueRecord): void {
    if (!this.#closed) this.#queue.push(record);
  }

  get recorder(): Recorder | undefined {
    return this.#recorder;
  }

  /** If there is no log yet, begins it with the ids of the last one of a world of this name. */
  repeatIds(): void {
    this.#repeatsIds = true;
  }

  /** The ids of its requests, by their numbers. */
  get ids(): IdSeries {
    return this.#numbers.ids;
  }

  close(): void {
    if (this.#closed) return;
    try {
      this.#recorder?.end('the sandbox stopped');
      this.#queue.flush();
    } catch (error) {
      // On a full disk the unwritten entries are lost, but closing goes on.
      this.#options.report(error);
    }
    this.#closed = true;
    this.#queue.stop();
    for (const watcher of this.#watchers) watcher.ended();
    if (this.#store) closeStore(this.#store);
    this.#store = undefined;
  }

  /** Closes the file until it is next read or written. */
  rest(): void {
    if (!this.#store || this.#options.file === undefined) return;
    closeStore(this.#store);
    this.#store = undefined;
  }

  #written(): Store {
    if (this.#closed) throw notFound('world: it has been deleted, and its request log with it');
    this.#queue.flush();
    return this.#open();
  }

  #rowOf(id: string): RequestRow | undefined {
    const number = this.ids.read('req', id);
    return number === undefined
      ? undefined
      : rowBySeq(this.#written(), this.#numbers.after + number);
  }

  #read(rows: Parameters<typeof readEntry>[0][]): RequestLogEntry[] {
    const { annotate } = this.#options;
    const { after } = this.#numbers;
    return rows.map((row) => annotate(readEntry(row, this.ids, row.seq - after)));
  }

  #write(records: readonly QueueRecord[]): void {
    const store = this.#open();
    const redaction = this.#redaction(store);
    const written: (() => void)[] = [];
    let last = 0;
    let entries = 0;
    store.client.transaction(() => {
      for (const record of records) {
        if ('text' in record) writeStep(store, record, redaction.text(record.text));
        else if (!('head' in record)) writeMark(store, record, this.#before);
        else {
          last = this.#before + record.order;
          entries += 1;
          const tell = this.#writeEntry(store, record, redaction, last);
          if (tell) written.push(tell);
        }
      }
      if (entries > 0) this.#prune(store, last);
    })();
    for (const tell of written) tell();
    if (entries === 0) return;
    for (const watcher of this.#watchers) watcher.written({ first: last - entries + 1, last });
  }

  /** @returns what to call after the commit */
  #writeEntry(
    store: Store,
    { onWritten, recording, order: _, ...entry }: QueuedEntry,
    redaction: Redaction,
    seq: number,
  ): (() => void) | undefined {
    const redacted = this.#redact(entry, redaction);
    if (!redacted) return undefined;
    insert(store, { ...redacted.entry, seq, recording: recording?.id ?? null });
    if (!onWritten) return undefined;
    const { mayHaveSecret } = redacted;
    return () => onWritten(mayHaveSecret ? secretsOfRequest(entry, redaction) : []);
  }

  /** Deletes entries that are neither listed nor part of a recording that is kept. */
  #prune(store: Store, last: number): void {
    const { kept } = this.#options;
    const unlisted = Math.max(last - kept, this.#numbers.after);
    if (unlisted <= this.#pruned) return;
    this.#pruned = unlisted;
    prune(store).run({ seq: Math.min(unlisted, pruneRecordings(store, last, kept)) });
  }

  /** Records are missing now, so what comes after them cannot be replayed. */
  #lose(records: readonly QueueRecord[]): void {
    for (const { recording } of records) if (recording) this.#recorder?.lose(recording);
  }

  /** Leaves out an entry that cannot be redacted; it must not cost the others. */
  #redact(entry: RawEntry, redaction: Redaction): RedactedEntry | undefined {
    try {
      return redactEntry(entry, redaction);
    } catch (error) {
      this.#options.report(error);
      return undefined;
    }
  }

  #redaction(store: Store): Redaction {
    this.#mask ??= new Mask(maskKeyOf(store));
    return new Redaction(this.#options.search(), this.#mask);
  }

  #readIds(store: Store): IdSeries {
    const { series } = this.#options;
    const [known] = seriesOf(store);
    const number = known?.number ?? (this.#repeatsIds ? series.repeat() : series.next());
    if (!known) store.db.insert(logSeries).values({ number, after: 0 }).run();
    return series.idsOf(number);
  }

  #open(): Store {
    if (this.#store) return this.#store;
    const store = openLog(this.#options.file);
    this.#store = store;
    if (!this.#hasCountedFile) {
      this.#before = lastSeq(store).get()?.seq ?? 0;
      this.#numbers.before = this.#before;
      this.#numbers.after = seriesOf(store)[0]?.after ?? 0;
    }
    this.#hasCountedFile = true;
    this.#options.onOpened?.();
    return store;
  }
}
