import { max } from 'drizzle-orm';
import type { IdSeries } from '../kernel/ids.ts';
import { closeStore, type Store } from '../store/open.ts';
import { prepared } from '../store/prepared.ts';
import { type BaseStorage, basesFolder, FolderBases, memoryBases } from './base-storage.ts';
import { EntryNumbers } from './entry-numbers.ts';
import { rowBySeq } from './list-requests.ts';
import { type RequestLogEntry, readEntry } from './log-entry.ts';
import { openLog } from './log-file.ts';
import type { RequestLogOptions } from './log-options.ts';
import { endKilled } from './recording-store.ts';
import { seriesOf } from './recordings.ts';
import { logSeries, type RequestRow, recordings, requests, steps } from './schema.ts';

const lastSeq = prepared((db) =>
  db
    .select({ seq: max(requests.seq) })
    .from(requests)
    .prepare(),
);

const lastRecording = prepared((db) =>
  db
    .select({ id: max(recordings.id) })
    .from(recordings)
    .prepare(),
);

type LogStoreOptions = Pick<
  RequestLogOptions,
  'file' | 'series' | 'annotate' | 'onOpened' | 'report'
>;

/** The database of a log, open while it is in use, and the numbers and ids of the entries. */
export class LogStore {
  readonly #options: LogStoreOptions;
  #store: Store | undefined;
  #hasCountedFile = false;
  /** The last recording at the start, until the end of those that a kill has ended is written. */
  #killed: number | undefined;
  #repeatsIds = false;
  numbers = new EntryNumbers(() => this.#readIds());
  readonly bases: BaseStorage;

  constructor(options: LogStoreOptions) {
    const { file, report } = options;
    this.#options = options;
    this.bases = file === undefined ? memoryBases() : new FolderBases(basesFolder(file), report);
  }

  open(): Store {
    const store = this.#store ?? this.#openFile();
    if (this.#killed !== undefined) this.#endKilled(store, this.#killed);
    return store;
  }

  #openFile(): Store {
    const { file, onOpened } = this.#options;
    const store = openLog(file);
    this.#store = store;
    if (!this.#hasCountedFile) {
      this.numbers.before = lastSeq(store).get()?.seq ?? 0;
      this.numbers.after = seriesOf(store)[0]?.after ?? 0;
      this.#killed = lastRecording(store).get()?.id ?? undefined;
    }
    this.#hasCountedFile = true;
    onOpened?.();
    return store;
  }

  #endKilled(store: Store, last: number): void {
    try {
      endKilled(store, last);
      this.#killed = undefined;
    } catch {
      // On a full or read-only disk, reading goes on, and the next use tries again.
    }
  }

  /** Closes the file until it is next used. */
  closeIdle(): void {
    if (this.#options.file !== undefined) this.close();
  }

  close(): void {
    if (this.#store) closeStore(this.#store);
    this.#store = undefined;
  }

  /** If there is no log yet, begins it with the ids of the last one of a world of this name. */
  repeatIds(): void {
    this.#repeatsIds = true;
  }

  /**
   * Begins the next id series, or the same once more, after the entry numbered `after`.
   * @param isCleared whether all entries and recordings are deleted
   */
  beginSeries(
    after: number,
    { sameIds, isCleared }: { sameIds: boolean; isCleared: boolean },
  ): void {
    const store = this.open();
    const { series } = this.#options;
    // Also for the entries so far, which may still be asked for their ids.
    const { ids, before } = this.numbers;
    const number = sameIds ? ids.series : series.next();
    store.client.transaction(() => {
      if (isCleared)
        for (const table of [requests, steps, recordings]) store.db.delete(table).run();
      store.db.insert(logSeries).values({ number, after }).run();
    })();
    if (isCleared) this.bases.keepOnly(new Set());
    const nextIds = series.idsOf(number);
    this.numbers = new EntryNumbers(() => nextIds);
    this.numbers.before = before;
    this.numbers.after = after;
  }

  rowOf(id: string): RequestRow | undefined {
    const { ids, after } = this.numbers;
    const number = ids.read('req', id);
    return number === undefined ? undefined : rowBySeq(this.open(), after + number);
  }

  entriesOf(rows: readonly RequestRow[]): RequestLogEntry[] {
    const { ids, after } = this.numbers;
    return rows.map((row) => this.#options.annotate(readEntry(row, ids, row.seq - after)));
  }

  #readIds(): IdSeries {
    const store = this.open();
    const { series } = this.#options;
    const [known] = seriesOf(store);
    const number = known?.number ?? (this.#repeatsIds ? series.repeat() : series.next());
    if (!known) store.db.insert(logSeries).values({ number, after: 0 }).run();
    return series.idsOf(number);
  }
}
