import { asc, desc, lt, lte, max } from 'drizzle-orm';
import type { IdSeries } from '../kernel/ids.ts';
import type { Runtime } from '../kernel/runtime.ts';
import type { KnownSecrets } from '../redaction/known-secrets.ts';
import { closeStore, type Store } from '../store/open.ts';
import { param, prepared } from '../store/prepared.ts';
import { inserter, select } from '../store/table.ts';
import { rowByRequestId, rowBySeq, type SeqRange } from './list-requests.ts';
import { type Annotate, type RawEntry, type RequestLogEntry, readEntry } from './log-entry.ts';
import type { LogExtension, LogRecord } from './log-extension.ts';
import {
  type AttemptRow,
  attempts,
  logSeries,
  openLog,
  type RequestRow,
  requests,
} from './log-file.ts';
import { redactEntry } from './redact-entry.ts';

/** `order` counts the entries of this process; that of a record is the order of the entry before it. */
export type Queued = { order: number } & (
  | { entry: RawEntry }
  | { attempt: Omit<AttemptRow, 'id' | 'after'> }
  | { record: LogRecord }
);

export interface RequestLogOptions {
  /** Undefined keeps it in memory. */
  file: string | undefined;
  /** A database to start from, in memory. */
  initial?: Buffer | undefined;
  runtime: Runtime;
  /** How many entries are kept; 0 keeps none. */
  maxEntries: number;
  series: LogSeries;
  annotate: Annotate;
  /** The secrets that are known now, which no entry may hold. */
  secrets(): KnownSecrets;
  /** Whether a text is the secret of a credential. */
  isCredentialSecret(secret: string): boolean;
  /** Called with unexpected errors. */
  report(error: unknown): void;
  /** Called whenever the file has been opened. */
  onOpened?(): void;
}

/** The id series of a world's request logs, one after the other. */
interface LogSeries {
  /** Returns the number of an unused series. */
  next(): number;
  /** Returns the number of the last series again. */
  repeat(): number;
  /** Returns the ids of a series. */
  idsOf(series: number): IdSeries;
}

const insert = inserter(requests);
const insertAttempt = inserter(attempts);

/** Entries that one write deletes: more than it adds, and few enough not to hold up requests. */
const PRUNED_AT_ONCE = 250;

const lastSeq = prepared((db) =>
  db
    .select({ seq: max(requests.seq) })
    .from(requests)
    .prepare(),
);

const deleteUpTo = prepared((db) =>
  db
    .delete(requests)
    .where(lte(requests.seq, param('seq')))
    .orderBy(asc(requests.seq))
    .limit(PRUNED_AT_ONCE)
    .prepare(),
);

const oldestEntry = select(requests, {
  columns: { seq: requests.seq },
  orderBy: [asc(requests.seq)],
  limit: 1,
});

const deleteAttempts = prepared((db) =>
  db
    .delete(attempts)
    .where(lt(attempts.after, param('seq')))
    .prepare(),
);

const newestSeries = select(logSeries, { orderBy: [desc(logSeries.id)] });

/** The id series of a log, newest first. */
export function seriesOf(log: Store): (typeof logSeries.$inferSelect)[] {
  return newestSeries(log).all();
}

/** The database of a log, open while it is in use, and the numbers and ids of the entries. */
export class LogStore {
  readonly #options: RequestLogOptions;
  #store: Store | undefined;
  #hasCountedFile = false;
  #repeatsIds = false;
  /** How many entries the file had when it was first opened; they precede those of this process. */
  before = 0;
  /** Number of the last entry before the log was cleared. */
  after = 0;
  /** How many entries were deleted because newer ones came. */
  deleted = 0;
  #ids: IdSeries | undefined;
  readonly extensions: LogExtension[] = [];

  constructor(options: RequestLogOptions) {
    this.#options = options;
  }

  open(): Store {
    return this.#store ?? this.#openFile();
  }

  #openFile(): Store {
    const { file, initial, onOpened } = this.#options;
    const store = openLog(file ?? initial);
    this.#store = store;
    for (const extension of this.extensions) extension.opened(store);
    if (!this.#hasCountedFile) {
      this.before = lastSeq(store).get()?.seq ?? 0;
      this.after = seriesOf(store)[0]?.after ?? 0;
    }
    this.#hasCountedFile = true;
    onOpened?.();
    return store;
  }

  /** Closes the file until it is next used. */
  closeIdle(): void {
    if (this.#options.file !== undefined) this.close();
  }

  close(): void {
    if (this.#store) closeStore(this.#store);
    this.#store = undefined;
  }

  /** Makes a new log repeat the ids of the last log of a world with this name. */
  repeatIds(): void {
    this.#repeatsIds = true;
  }

  /**
   * Begins the next id series, or repeats the current one, after the entry numbered `after`.
   * @param isCleared whether all entries are deleted, with what extensions keep
   */
  beginSeries(
    after: number,
    { sameIds, isCleared }: { sameIds: boolean; isCleared: boolean },
  ): void {
    const store = this.open();
    const { series } = this.#options;
    // Read before the transaction, because it may begin the first series.
    const { ids } = this;
    const number = sameIds ? ids.series : series.next();
    store.client.transaction(() => {
      if (isCleared) {
        store.db.delete(requests).run();
        store.db.delete(attempts).run();
        this.deleted = 0;
        for (const extension of this.extensions) extension.clear(store);
      }
      store.db.insert(logSeries).values({ number, after }).run();
    })();
    this.#ids = series.idsOf(number);
    this.after = after;
  }

  rowOf(id: string): RequestRow | undefined {
    const number = this.ids.read('req', id);
    const row = number === undefined ? undefined : rowBySeq(this.open(), this.after + number);
    return row?.requestId === null ? row : rowByRequestId(this.open(), id);
  }

  /** Whether one of the entries up to a number has had this id. */
  hasHad(id: string, last: number): boolean {
    return seriesOf(this.open()).some(({ number, after }) => {
      const n = this.#options.series.idsOf(number).read('req', id);
      return n !== undefined && after + n <= last;
    });
  }

  entriesOf(rows: readonly RequestRow[]): RequestLogEntry[] {
    const { ids, after } = this;
    return rows.map((row) => this.#options.annotate(readEntry(row, ids, row.seq - after)));
  }

  /** Reads entries of any series, also from before a reset. */
  historyOf(rows: readonly RequestRow[]): RequestLogEntry[] {
    const { annotate, series } = this.#options;
    const all = seriesOf(this.open()).map(({ number, after }) => ({
      ids: series.idsOf(number),
      after,
    }));
    return rows.map((row) => {
      const { ids, after } = all.find((each) => each.after < row.seq) ?? this;
      return annotate(readEntry(row, ids, row.seq - after));
    });
  }

  /** The ids of the entries, by their numbers. Asking for them may open the file. */
  get ids(): IdSeries {
    this.#ids ??= this.#readIds();
    return this.#ids;
  }

  #readIds(): IdSeries {
    const store = this.open();
    const { series } = this.#options;
    const [current] = seriesOf(store);
    const number = current?.number ?? (this.#repeatsIds ? series.repeat() : series.next());
    if (!current) store.db.insert(logSeries).values({ number, after: 0 }).run();
    return series.idsOf(number);
  }

  /** Writes records without secrets, and deletes what need not be kept. @returns the numbers of the entries */
  write(records: readonly Queued[]): SeqRange | undefined {
    try {
      return this.#write(records);
    } catch (error) {
      this.lose('a write failed');
      throw error;
    }
  }

  /** Tells extensions that entries or records are not stored, and why. */
  lose(why: string): void {
    for (const extension of this.extensions) extension.lost(why);
  }

  #write(records: readonly Queued[]): SeqRange | undefined {
    const store = this.open();
    const secrets = this.#options.secrets();
    const redact = (text: string) => secrets.redact(text);
    let range: SeqRange | undefined;
    store.client.transaction(() => {
      for (const item of records) {
        const last = this.before + item.order;
        if ('record' in item) item.record.write(store, { after: last, redact });
        else if ('attempt' in item) insertAttempt(store, { ...item.attempt, after: last });
        else {
          range = { first: range?.first ?? last, last };
          this.#writeEntry(store, item.entry, secrets, last);
        }
      }
      if (range) this.#prune(store, range.last);
    })();
    return range;
  }

  /** Leaves out an entry that cannot be redacted; it must not cost the others. */
  #writeEntry(store: Store, entry: RawEntry, secrets: KnownSecrets, seq: number): void {
    const { isCredentialSecret, report } = this.#options;
    let row: Omit<RequestRow, 'seq'>;
    try {
      row = redactEntry(entry, secrets, isCredentialSecret);
    } catch (error) {
      report(error);
      return;
    }
    insert(store, { ...row, seq });
  }

  #prune(store: Store, last: number): void {
    const { maxEntries } = this.#options;
    const unneeded = this.extensions.map((extension) => extension.prune(store, last, maxEntries));
    // Later writes delete the rest.
    const { changes } = deleteUpTo(store).run({ seq: Math.min(last - maxEntries, ...unneeded) });
    this.deleted += changes;
    if (changes === 0) return;
    const [oldest] = oldestEntry(store).all();
    deleteAttempts(store).run({ seq: (oldest?.seq ?? last) - 1 });
  }
}
