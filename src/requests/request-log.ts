import { asc, gte } from 'drizzle-orm';
import { notFound } from '../kernel/errors.ts';
import type { IdSeries } from '../kernel/ids.ts';
import { SECOND } from '../kernel/time.ts';
import type { Store } from '../store/open.ts';
import { param } from '../store/prepared.ts';
import { select } from '../store/table.ts';
import {
  countRows,
  lastRun,
  listRows,
  nextSeq,
  type RequestFilter,
  type SeqRange,
} from './list-requests.ts';
import { endOf, type RawEntry, type RequestLogEntry } from './log-entry.ts';
import type { LogExtension, LogRecord } from './log-extension.ts';
import { type AttemptRow, attempts, requests } from './log-file.ts';
import { LogStore, type Queued, type RequestLogOptions } from './log-store.ts';

export const DEFAULT_KEPT = 10_000;

const rowsFrom = select(requests, {
  where: [gte(requests.seq, param('first'))],
  orderBy: [asc(requests.seq)],
  limit: param('limit'),
});
const allAttempts = select(attempts, { orderBy: [asc(attempts.id)] });

/** Entries are written a little later: no request waits for them, and a burst shares a transaction. */
const WRITE_AFTER_MS = 5;
/**
 * Size of a burst that is logged, and requests logged per second under constant load: an entry costs a third of a GET.
 */
const MAX_AT_ONCE = 10_000;
const MAX_PER_SECOND = 1_000;

interface SearchResult {
  entries: RequestLogEntry[];
  /** How many entries meet the filter. */
  total: number;
}

interface LogWatcher {
  /** Called after entries were written, with their numbers. */
  written(span: SeqRange): void;
  /** Called when the log is closed. */
  ended(): void;
}

/**
 * Keeps the newest requests of a world in a database of their own, which restoring a snapshot does not touch. Entries
 * are numbered in the order of `append`. A kill loses entries that are not written yet; reading writes them first.
 */
export class RequestLog {
  readonly #options: RequestLogOptions;
  readonly #watchers = new Set<LogWatcher>();
  readonly #log: LogStore;
  /** Entries and records that are not written yet, oldest first. */
  #queue: Queued[] = [];
  #cancelWrite: (() => void) | undefined;
  /** How many entries may be appended, at a time on the monotonic clock. */
  #allowed = { entries: MAX_AT_ONCE, at: 0 };
  /** How many entries were appended by this process. */
  #appended = 0;
  /** Undefined in memory. */
  readonly file: string | undefined;
  #closed = false;

  constructor(options: RequestLogOptions) {
    this.#options = options;
    this.file = options.file;
    this.#log = new LogStore(options);
  }

  /** Adds an entry, unless none are kept or too many come. */
  append(entry: RawEntry): void {
    if (this.#options.maxEntries === 0) return;
    const allowed = this.#refilled();
    if (allowed.entries < 1) {
      this.#log.lose('the requests came faster than they are logged');
      return;
    }
    allowed.entries -= 1;
    this.#appended += 1;
    this.#enqueue({ entry, order: this.#appended });
  }

  #refilled(): { entries: number } {
    const at = this.#options.runtime.monotonic();
    const more = ((at - this.#allowed.at) * MAX_PER_SECOND) / SECOND;
    this.#allowed = { entries: Math.min(this.#allowed.entries + more, MAX_AT_ONCE), at };
    return this.#allowed;
  }

  /** Whether the next requests will be logged. */
  get hasRoom(): boolean {
    return this.#refilled().entries > MAX_AT_ONCE / 2;
  }

  /** Adds an extension; none is added once the log is in use. */
  extend(extension: LogExtension): void {
    this.#log.extensions.push(extension);
  }

  /** Adds a record of an extension after the entries so far. */
  push(record: LogRecord): void {
    this.#enqueue({ record, order: this.#appended });
  }

  /** Adds a finished webhook attempt after the entries so far. */
  addAttempt(attempt: Omit<AttemptRow, 'id' | 'after'>): void {
    this.#enqueue({ attempt, order: this.#appended });
  }

  #enqueue(record: Queued): void {
    if (this.#closed || this.#options.maxEntries === 0) return;
    this.#queue.push(record);
    this.#cancelWrite ??= this.#options.runtime.after(WRITE_AFTER_MS, () => {
      try {
        this.flush();
      } catch (error) {
        this.#options.report(error);
      }
    });
  }

  /** The database, with all entries so far. @throws not_found once it is closed */
  get store(): Store {
    const log = this.#written();
    // Chooses the id series, if none was chosen yet.
    void log.ids;
    return log.open();
  }

  /**
   * Writes what is not written yet. What cannot be written is dropped: serving requests matters more than their log.
   */
  flush(): void {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    if (this.#queue.length === 0) return;
    const records = this.#queue;
    this.#queue = [];
    const range = this.#log.write(records);
    if (!range) return;
    for (const watcher of this.#watchers) watcher.written(range);
  }

  get isWritten(): boolean {
    return this.#queue.length === 0;
  }

  /** Lists matching entries before the number `before`, newest first. @throws not_found once it is closed */
  list(
    filter: RequestFilter,
    page: { before?: number | undefined; limit: number },
  ): RequestLogEntry[] {
    const log = this.#written();
    const first = this.#firstListed;
    return log.entriesOf(listRows(log.open(), filter, { ...page, first }));
  }

  /** The ids of the matching entries before and after one. */
  neighborsOf(
    { seq }: RequestLogEntry,
    filter: RequestFilter,
  ): Record<'older' | 'newer', string | null> {
    const [older] = this.list(filter, { before: seq, limit: 1 });
    const next = nextSeq(this.#written().open(), filter, seq);
    const [newer] = next === undefined ? [] : this.list(filter, { before: next + 1, limit: 1 });
    return { older: older?.requestId ?? null, newer: newer?.requestId ?? null };
  }

  /** Lists as `list` does, and counts the matches before and after the page. @throws not_found once it is closed */
  search(
    filter: RequestFilter,
    page: { before?: number | undefined; limit: number },
  ): SearchResult {
    const entries = this.list(filter, page);
    return { entries, total: countRows(this.#log.open(), filter, { first: this.#firstListed }) };
  }

  /** The number of the oldest entry that is listed. */
  get #firstListed(): number {
    return Math.max(this.#log.after, this.#last - this.#options.maxEntries) + 1;
  }

  /** The matching entries of a span of numbers, oldest first. */
  listSpan(filter: RequestFilter, span: SeqRange): RequestLogEntry[] {
    const first = Math.max(span.first, this.#log.after + 1);
    const rows = listRows(this.#log.open(), filter, { ...span, first, limit: -1 });
    return this.#log.entriesOf(rows.reverse());
  }

  /** The entries from a number on, oldest first, also those from before a reset. */
  history(first: number, limit: number): RequestLogEntry[] {
    const log = this.#written();
    return log.historyOf(rowsFrom(log.open()).all({ first, limit }));
  }

  /** The finished webhook attempts, oldest first, also those from before a reset. */
  attempts(): AttemptRow[] {
    return allAttempts(this.#written().open()).all();
  }

  /** How many entries were deleted because newer ones came. */
  get dropped(): number {
    return this.#written().deleted;
  }

  /** When a listed request ended, real time, Unix ms. */
  endedAt(id: string): number | undefined {
    const row = this.#written().rowOf(id);
    return row && endOf(row);
  }

  find(id: string): RequestLogEntry | undefined {
    const log = this.#written();
    const row = log.rowOf(id);
    const [entry] = log.entriesOf(row ? [row] : []);
    return entry;
  }

  /** @param field that has the id, for the error. @throws not_found */
  require(id: string, field = 'request_id'): RequestLogEntry {
    const entry = this.find(id);
    if (entry) return entry;
    this.assertNotDropped(id, field);
    throw notFound(
      `${field}: request ${id} not found; GET /_sandbox/requests lists those in the log`,
    );
  }

  /** @throws not_found if the log once had a request, and does not list it now */
  assertNotDropped(id: string, field = 'request_id'): void {
    if (!this.#written().hasHad(id, this.#last)) return;
    throw notFound(
      `${field}: request ${id} is no longer in the log (keeps the newest ${this.#options.maxEntries})`,
    );
  }

  /** The highest number of a run among its entries; 0 if there is none. */
  get lastRun(): number {
    return lastRun(this.#written().open());
  }

  /** Calls the watcher until the returned function is called. */
  watch(watcher: LogWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Deletes all entries, and what extensions keep. If the disk takes no write, the log stays as it is. */
  clear(): void {
    this.#begin(() => {
      this.#log.beginSeries(this.#last, { sameIds: false, isCleared: true });
    });
  }

  /**
   * Stops listing the entries so far; `history` still has them. Numbers start over, in a new id series unless the old one
   * is repeated. If the disk takes no write, the log stays as it is.
   */
  startOver({ sameIds = false }: { sameIds?: boolean | undefined } = {}): void {
    this.#begin(() => this.#log.beginSeries(this.#last, { sameIds, isCleared: false }));
  }

  #begin(act: () => void): void {
    try {
      this.#log.open();
      this.flush();
      act();
    } catch (error) {
      this.#options.report(error);
    }
  }

  /** The number of the newest entry, once the file is open. */
  get #last(): number {
    return this.#log.before + this.#appended;
  }

  /** Makes a new log repeat the ids of the last log of a world with this name. */
  repeatIds(): void {
    this.#log.repeatIds();
  }

  /** The ids of its requests, by their numbers. */
  get ids(): IdSeries {
    return this.#log.ids;
  }

  close(): void {
    if (this.#closed) return;
    try {
      for (const extension of this.#log.extensions) extension.closing();
      // In memory, only watchers still read it.
      if (this.file !== undefined || this.#watchers.size > 0) this.flush();
    } catch (error) {
      // On a full disk the unwritten entries are lost, but closing goes on.
      this.#options.report(error);
    }
    this.#closed = true;
    this.#cancelWrite?.();
    for (const watcher of this.#watchers) watcher.ended();
    this.#log.close();
  }

  /** Serializes the database, with all entries so far. */
  copy(): Buffer {
    return this.#written().open().client.serialize();
  }

  /** Closes the file until it is next read or written. */
  closeIdle(): void {
    this.#log.closeIdle();
  }

  #written(): LogStore {
    if (this.#closed) throw notFound('world: it has been deleted, and its request log with it');
    this.flush();
    return this.#log;
  }
}
