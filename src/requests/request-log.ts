import { lte, max } from 'drizzle-orm';
import { notFound } from '../kernel/errors.ts';
import type { IdSeries } from '../kernel/ids.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { explainDiskFull } from '../store/disk-full.ts';
import { closeStore, type Store } from '../store/open.ts';
import { inserter, param, prepared } from '../store/prepared.ts';
import { maskKeyOf, openLog } from './log-file.ts';
import { Mask } from './mask.ts';
import { Pending } from './pending.ts';
import { Redaction } from './redact.ts';
import { logSeries, type NewRequestRow, requests } from './schema.ts';
import type { SecretSearch } from './secret-search.ts';

export const DEFAULT_KEPT = 10_000;

/** Rows are written a little later, so that no request waits for them. */
const WRITE_AFTER_MS = 25;
const CHUNK = 200;
/** Writing rests this many times as long as it took: under load the log costs a small, steady share. */
const REST_FACTOR = 48;
/** More is not kept in memory, however much slower the disk is than the requests. */
const MAX_PENDING_BYTES = 32 * 1024 * 1024;

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

export interface Watcher {
  /** Called right after rows were written, with their numbers and where to read them. */
  written(log: Store, span: { first: number; last: number }): void;
  /** Called when nothing will be written any more. */
  ended(): void;
}

export interface RequestLogOptions {
  /** Undefined keeps it in memory. */
  file: string | undefined;
  runtime: Runtime;
  /** How many rows stay; 0 keeps none. */
  kept: number;
  rowOf: RowOf;
  series: LogSeries;
  /** Finds what rows must not tell; told of all secrets that are known now. */
  search(): SecretSearch;
  /** Told of errors that nobody foresaw. */
  report(error: unknown): void;
  /** Called whenever its file has been opened. */
  onOpened?(log: RequestLog): void;
}

/** The id series of a world's request logs, one after the other. */
export interface LogSeries {
  /** The number of one that was never used. */
  next(): number;
  /** The last one once more. */
  repeat(): number;
  /** The ids of one. */
  idsOf(series: number): IdSeries;
}

/** Makes the row of a report, when nobody waits for it. */
export type RowOf = (report: string, redaction: Redaction) => NewRequestRow;

/**
 * The newest requests of one world, in a database of their own: what was asked is not taken back by
 * restoring a snapshot, and writing it never makes a request wait. Rows are numbered in the order of
 * `append`. What a kill finds unwritten (about 25 ms) is lost; reading writes everything first.
 */
export class RequestLog {
  readonly #options: RequestLogOptions;
  readonly #watchers = new Set<Watcher>();
  readonly #pending = new Pending();
  #store: Store | undefined;
  /** Number of the last one that was appended, counted from what the database holds. */
  #appended = 0;
  /** Whether what the database held when it was first opened is counted in. */
  #counted = false;
  #cancelTimer: (() => void) | undefined;
  #closed = false;
  #ids: IdSeries | undefined;
  #repeatsIds = false;
  #mask: Mask | undefined;

  constructor(options: RequestLogOptions) {
    this.#options = options;
  }

  /** @param report text from which the row is made when it is written */
  append(report: string): void {
    const { kept, runtime } = this.#options;
    if (this.#closed || kept === 0) return;
    this.#pending.push(report);
    this.#appended += 1;
    // What would be pruned at once need not be written first.
    if (this.#pending.count > kept) this.#pending.drop();
    if (this.#pending.bytes > MAX_PENDING_BYTES) this.#makeSpace();
    this.#cancelTimer ??= runtime.after(WRITE_AFTER_MS, () => this.#writeSome());
  }

  /** Writes all that is unwritten, and returns the database to read from. @throws not_found once it is closed */
  write(): Store {
    if (this.#closed) throw notFound('world: it has been deleted, and its request log with it');
    while (this.#pending.count > 0) this.#writeChunk();
    return this.#open();
  }

  /** Tells the watcher until the returned function is called. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /**
   * Forgets everything; numbers start over, in a new id series unless the old one is to be repeated. Where the
   * disk takes no write, the log goes on as it is.
   */
  clear({ sameIds = false }: { sameIds?: boolean | undefined } = {}): void {
    const { series, report } = this.#options;
    try {
      const store = this.#open();
      const next = sameIds ? this.ids.series : series.next();
      store.client.transaction(() => {
        for (const table of [requests, logSeries]) store.db.delete(table).run();
        store.db.insert(logSeries).values({ number: next }).run();
      })();
      this.#pending.clear();
      this.#appended = 0;
      this.#ids = series.idsOf(next);
    } catch (error) {
      report(error);
    }
  }

  /** Where there is no log yet, begins it with the ids of the last one of a world of this name. */
  repeatIds(): void {
    this.#repeatsIds = true;
  }

  /** The ids of its requests, by their numbers. */
  get ids(): IdSeries {
    this.#ids ??= this.#readIds(this.#open());
    return this.#ids;
  }

  close(): void {
    if (this.#closed) return;
    try {
      if (this.#pending.count > 0) this.write();
    } catch (error) {
      // A full disk: what is unwritten is lost, but whoever closes the log goes on.
      this.#options.report(error);
    }
    this.#closed = true;
    this.#cancelTimer?.();
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

  #writeSome(): void {
    const { runtime } = this.#options;
    this.#cancelTimer = undefined;
    if (this.#closed || this.#pending.count === 0) return;
    const begun = runtime.monotonic();
    try {
      this.#writeChunk();
    } catch (error) {
      // A full disk: what is pending has its chance with the next request.
      this.#options.report(error);
      return;
    }
    if (this.#pending.count === 0) return;
    const rest = (runtime.monotonic() - begun) * REST_FACTOR;
    this.#cancelTimer = runtime.after(rest, () => this.#writeSome());
  }

  /** Writes a part, or drops it where the disk takes none: the request that waits is more than its log. */
  #makeSpace(): void {
    try {
      this.#writeChunk();
    } catch (error) {
      this.#options.report(error);
      this.#pending.drop(CHUNK);
    }
  }

  #writeChunk(): void {
    const { kept } = this.#options;
    const store = this.#open();
    const redaction = this.#redaction(store);
    const first = this.#appended - this.#pending.count + 1;
    const last = Math.min(first + CHUNK - 1, this.#appended);
    const count = last - first + 1;
    try {
      store.client.transaction(() => {
        let seq = first;
        for (const report of this.#pending.oldest(count)) {
          const row = this.#rowOf(report, redaction);
          if (row) insert(store, { seq, ...row });
          seq += 1;
        }
        prune(store).run({ seq: last - kept });
      })();
    } catch (error) {
      // What there is no room for now is written later; what cannot be written at all must not stay.
      if (explainDiskFull(error) === undefined) this.#pending.drop(count);
      throw error;
    }
    this.#pending.drop(count);
    for (const watcher of this.#watchers) watcher.written(store, { first, last });
  }

  /** One that cannot be told is left out; it must not cost the others. */
  #rowOf(report: string, redaction: Redaction): NewRequestRow | undefined {
    try {
      return this.#options.rowOf(report, redaction);
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
    if (!this.#counted) this.#appended += lastSeq(store).get()?.seq ?? 0;
    this.#counted = true;
    this.#options.onOpened?.(this);
    return store;
  }
}
