import { max } from 'drizzle-orm';
import type { IdSeries } from '../kernel/ids.ts';
import { Placeholders } from '../redaction/placeholders.ts';
import { Redaction } from '../redaction/redaction.ts';
import { closeStore, type Store } from '../store/open.ts';
import { prepared } from '../store/prepared.ts';
import { inserter } from '../store/table.ts';
import { type BaseStorage, basesFolder, FolderBases, memoryBases } from './base-storage.ts';
import { rowByRequestId, rowBySeq, type SeqRange } from './list-requests.ts';
import { type EntryHead, type RawEntry, type RequestLogEntry, readEntry } from './log-entry.ts';
import {
  acts,
  logSeries,
  openLog,
  placeholderKeyOf,
  type RequestRow,
  recordings,
  requests,
} from './log-file.ts';
import type { RequestLogOptions } from './log-options.ts';
import {
  endKilled,
  limitBases,
  pruneLog,
  writeAct,
  writeBegin,
  writeEnd,
} from './recording-store.ts';
import { seriesOf } from './recordings.ts';
import { type RedactedEntry, redactEntry, secretsOfRequest } from './redact-entry.ts';
import type { QueuedBegin, QueueRecord } from './write-queue.ts';

const insert = inserter(requests);

/** How the head of an entry begins that a replay has written. */
const REPLAYED = '{"requestId"';

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

/** The database of a log, open while it is in use, and the numbers and ids of the entries. */
export class LogStore {
  readonly #options: RequestLogOptions;
  #store: Store | undefined;
  #hasCountedFile = false;
  /** The last recording at the start, until the end of those that a kill has ended is written. */
  #killed: number | undefined;
  #repeatsIds = false;
  /** How many entries the file had when it was first opened; they precede those of this process. */
  before = 0;
  /** Number of the last entry before the log was cleared. */
  after = 0;
  /** Number of the last entry that was dropped. */
  #dropped = 0;
  #ids: IdSeries | undefined;
  #placeholders: Placeholders | undefined;
  readonly bases: BaseStorage;

  constructor(options: RequestLogOptions) {
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
      this.before = lastSeq(store).get()?.seq ?? 0;
      this.after = seriesOf(store)[0]?.after ?? 0;
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
    const { ids } = this;
    const number = sameIds ? ids.series : series.next();
    store.client.transaction(() => {
      if (isCleared) for (const table of [requests, acts, recordings]) store.db.delete(table).run();
      store.db.insert(logSeries).values({ number, after }).run();
    })();
    if (isCleared) this.bases.keepOnly(new Set());
    this.#ids = series.idsOf(number);
    this.after = after;
  }

  rowOf(id: string): RequestRow | undefined {
    const number = this.ids.read('req', id);
    const row = number === undefined ? undefined : rowBySeq(this.open(), this.after + number);
    return row && !row.head.startsWith(REPLAYED) ? row : rowByRequestId(this.open(), id);
  }

  entriesOf(rows: readonly RequestRow[]): RequestLogEntry[] {
    const { ids, after } = this;
    return rows.map((row) => this.#options.annotate(readEntry(row, ids, row.seq - after)));
  }

  /** The ids of the entries, by their numbers. Asking for them may open the file. */
  get ids(): IdSeries {
    this.#ids ??= this.#readIds();
    return this.#ids;
  }

  #readIds(): IdSeries {
    const store = this.open();
    const { series } = this.#options;
    const [known] = seriesOf(store);
    const number = known?.number ?? (this.#repeatsIds ? series.repeat() : series.next());
    if (!known) store.db.insert(logSeries).values({ number, after: 0 }).run();
    return series.idsOf(number);
  }

  /** Writes records without secrets, and deletes what need not be kept. @returns the numbers of the entries */
  write(records: readonly QueueRecord[]): SeqRange | undefined {
    const store = this.open();
    const redaction = this.#redaction(store);
    const afterCommit: (() => void)[] = [];
    let written: SeqRange | undefined;
    store.client.transaction(() => {
      for (const record of records) {
        if ('text' in record) writeAct(store, record, redaction.text(record.text));
        else if ('after' in record) this.#writeBegin(store, record, afterCommit);
        else if ('ended' in record) writeEnd(store, record);
        else {
          const last = this.before + record.order;
          written = { first: written?.first ?? last, last };
          this.#writeEntry(store, record.entry, redaction, last);
        }
      }
      if (written) this.#prune(store, written.last, afterCommit);
    })();
    for (const act of afterCommit) act();
    return written;
  }

  #writeEntry(store: Store, entry: RawEntry, redaction: Redaction, seq: number): void {
    const redacted = this.#redact(entry, redaction);
    if (!redacted) return;
    const sentSecret =
      redacted.mayHaveSecret &&
      secretsOfRequest(entry, redaction).some(this.#options.isCredentialSecret);
    const { head } = redacted.entry;
    insert(store, {
      ...redacted.entry,
      ...(sentSecret && {
        head: JSON.stringify({ ...(JSON.parse(head) as EntryHead), sentSecret }),
      }),
      seq,
      recording: entry.recording?.id ?? null,
    });
  }

  #writeBegin(store: Store, begin: QueuedBegin, afterCommit: (() => void)[]): void {
    const base = writeBegin(store, begin, this.before);
    if (!base) return;
    const kept = limitBases(store);
    afterCommit.push(() => {
      this.bases.put(base.name, base.bytes);
      this.bases.keepOnly(kept);
      begin.recording.releaseBase();
    });
  }

  #prune(store: Store, last: number, afterCommit: (() => void)[]): void {
    const { kept } = this.#options;
    const unlisted = Math.max(last - kept, this.after);
    // Many at a time: who reads them first does so in one go.
    if (unlisted - this.#dropped <= kept / 100) return;
    this.#dropped = unlisted;
    this.#options.beforeDrop(unlisted);
    if (!pruneLog(store, last, unlisted, kept)) return;
    const names = limitBases(store);
    afterCommit.push(() => this.bases.keepOnly(names));
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
    this.#placeholders ??= new Placeholders(placeholderKeyOf(store));
    return new Redaction(this.#options.search(), this.#placeholders);
  }
}
