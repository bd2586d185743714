import { lte, max } from 'drizzle-orm';
import { notFound } from '../kernel/errors.ts';
import type { IdSeries } from '../kernel/ids.ts';
import { closeStore, type Store } from '../store/open.ts';
import { inserter, param, prepared } from '../store/prepared.ts';
import { EntryNumbers, type NumberedEntry } from './entry-numbers.ts';
import { listRows, type RequestFilter, rowBySeq, type SeqRange } from './list-requests.ts';
import { type RawEntry, type RequestLogEntry, readEntry } from './log-entry.ts';
import { maskKeyOf, openLog } from './log-file.ts';
import type { LogWatcher, RequestLogOptions } from './log-options.ts';
import { Mask } from './mask.ts';
import { Redaction } from './redact.ts';
import { type RedactedEntry, redactEntry, secretsOfRequest } from './redact-entry.ts';
import { logSeries, requests } from './schema.ts';
import { type OnWritten, type QueuedEntry, WriteQueue } from './write-queue.ts';

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
  /** The number of the newest entry. Counts from 0 until the file is first opened. */
  #appended = 0;
  #hasCountedFile = false;
  #closed = false;
  #numbers = new EntryNumbers(() => this.#readIds(this.#open()));
  #repeatsIds = false;
  #mask: Mask | undefined;

  constructor(options: RequestLogOptions) {
    this.#options = options;
    const { runtime, kept, report } = options;
    this.#queue = new WriteQueue({
      runtime,
      limit: kept,
      report,
      write: (entries) => this.#write(entries),
    });
  }

  /**
   * Adds an entry.
   * @param onWritten called when the entry is written, with the secrets that are in the request
   * @returns the entry by its number; undefined if none are kept
   */
  append(entry: RawEntry, onWritten?: OnWritten): NumberedEntry | undefined {
    if (this.#closed || this.#options.kept === 0) return undefined;
    this.#appended += 1;
    this.#queue.push(onWritten ? { ...entry, onWritten } : entry);
    return this.#numbers.of(this.#appended, this.#hasCountedFile);
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
    return this.#read(listRows(this.#written(), filter, page));
  }

  /** The matching entries of a span of numbers, oldest first. */
  listSpan(filter: RequestFilter, span: SeqRange): RequestLogEntry[] {
    const rows = listRows(this.#open(), filter, { ...span, limit: -1 });
    return this.#read(rows.reverse());
  }

  /** @throws not_found */
  require(id: string): RequestLogEntry {
    const seq = this.ids.read('req', id);
    const row = seq === undefined ? undefined : rowBySeq(this.#written(), seq);
    const [entry] = this.#read(row ? [row] : []);
    if (entry) return entry;
    throw notFound(
      `request_id: request ${id} not found; the log keeps only the newest, listed by GET /_sandbox/requests`,
    );
  }

  /** Calls the watcher until the returned function is called. */
  watch(watcher: LogWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /**
   * Deletes all entries. Numbers start over, in a new id series unless the old one is repeated. If the disk takes no
   * write, the log stays as it is.
   */
  clear({ sameIds = false }: { sameIds?: boolean | undefined } = {}): void {
    const { series, report } = this.#options;
    try {
      const store = this.#open();
      // Also for the entries so far, which may still be asked for their ids.
      const { ids } = this;
      const next = sameIds ? ids.series : series.next();
      store.client.transaction(() => {
        for (const table of [requests, logSeries]) store.db.delete(table).run();
        store.db.insert(logSeries).values({ number: next }).run();
      })();
      this.#queue.clear();
      this.#appended = 0;
      const nextIds = series.idsOf(next);
      this.#numbers = new EntryNumbers(() => nextIds);
    } catch (error) {
      report(error);
    }
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

  #read(rows: Parameters<typeof readEntry>[0][]): RequestLogEntry[] {
    const { annotate } = this.#options;
    return rows.map((row) => annotate(readEntry(row, this.ids)));
  }

  /** Writes the entries that precede the queue. */
  #write(entries: readonly QueuedEntry[]): void {
    const { kept } = this.#options;
    const store = this.#open();
    const redaction = this.#redaction(store);
    const first = this.#appended - this.#queue.length - entries.length + 1;
    const last = first + entries.length - 1;
    const written: (() => void)[] = [];
    store.client.transaction(() => {
      let seq = first;
      for (const { onWritten, ...entry } of entries) {
        const redacted = this.#redact(entry, redaction);
        if (redacted) insert(store, { seq, ...redacted.entry });
        if (redacted && onWritten) {
          const { mayHaveSecret } = redacted;
          written.push(() => onWritten(mayHaveSecret ? secretsOfRequest(entry, redaction) : []));
        }
        seq += 1;
      }
      prune(store).run({ seq: last - kept });
    })();
    for (const tell of written) tell();
    for (const watcher of this.#watchers) watcher.written({ first, last });
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
    const [known] = store.db.select().from(logSeries).all();
    const number = known?.number ?? (this.#repeatsIds ? series.repeat() : series.next());
    if (!known) store.db.insert(logSeries).values({ number }).run();
    return series.idsOf(number);
  }

  #open(): Store {
    if (this.#store) return this.#store;
    const store = openLog(this.#options.file);
    this.#store = store;
    if (!this.#hasCountedFile) {
      this.#numbers.before = lastSeq(store).get()?.seq ?? 0;
      this.#appended += this.#numbers.before;
    }
    this.#hasCountedFile = true;
    this.#options.onOpened?.(this);
    return store;
  }
}
