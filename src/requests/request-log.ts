import { notFound } from '../kernel/errors.ts';
import type { IdSeries } from '../kernel/ids.ts';
import type { Store } from '../store/open.ts';
import type { World } from '../world/world.ts';
import { type BaseStorage, basesFolder, FolderBases, memoryBases } from './base-storage.ts';
import type { NumberedEntry } from './entry-numbers.ts';
import { listRows, type RequestFilter, rowBySeq, type SeqRange } from './list-requests.ts';
import {
  type EntryHead,
  endOf,
  type RawEntry,
  type RequestLogEntry,
  readEntry,
} from './log-entry.ts';
import type { LogWatcher, RequestLogOptions } from './log-options.ts';
import { LogStore } from './log-store.ts';
import { LogWriter } from './log-writer.ts';
import { TextBlocks } from './packed-texts.ts';
import { Recorder, type RecorderOptions } from './recorder.ts';
import { MAX_BASE_BYTES } from './recording-store.ts';
import { Recordings } from './recordings.ts';
import type { RequestRow } from './schema.ts';
import { type OnWritten, type QueueRecord, WriteQueue } from './write-queue.ts';

export const DEFAULT_KEPT = 10_000;

/**
 * The newest requests of one world. They have a database of their own, which restoring a snapshot does not touch, and
 * are numbered in the order of `append`. A kill loses what is not written yet: usually 25 ms, under load the requests
 * for which writing had no time. Reading writes everything first.
 */
export class RequestLog {
  readonly #options: RequestLogOptions;
  readonly #watchers = new Set<LogWatcher>();
  readonly #queue: WriteQueue;
  readonly #texts = new TextBlocks();
  readonly #log: LogStore;
  readonly #writer: LogWriter;
  readonly #bases: BaseStorage;
  /** How many entries were appended by this process. */
  #appended = 0;
  #recorder: Recorder | undefined;
  /** What was recorded, for a replay. */
  readonly recordings: Recordings;
  #closed = false;

  constructor(options: RequestLogOptions) {
    this.#options = options;
    const { runtime, kept, report, file } = options;
    this.#log = new LogStore(options);
    this.#bases = file === undefined ? memoryBases() : new FolderBases(basesFolder(file), report);
    this.#writer = new LogWriter(this.#log, this.#bases, options);
    this.#queue = new WriteQueue({
      runtime,
      limit: kept === 0 ? 0 : Math.max(kept, DEFAULT_KEPT),
      report,
      write: (records) => this.#write(records),
      dropped: (records) => this.#lose(records),
      done: (records) => this.#release(records),
    });
    this.recordings = new Recordings(
      () => {
        const log = this.#written();
        this.#log.numbers.begin();
        return log;
      },
      options.series,
      this.#bases,
    );
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
    this.#queue.push({
      texts: this.#texts.add(entry),
      recording: entry.recording,
      order,
      onWritten,
    });
    return this.#log.numbers.of(order);
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
    const first = Math.max(this.#log.numbers.after, this.#last - this.#options.kept) + 1;
    return this.#read(listRows(log, filter, { ...page, first }));
  }

  /** The matching entries of a span of numbers, oldest first. */
  listSpan(filter: RequestFilter, span: SeqRange): RequestLogEntry[] {
    const first = Math.max(span.first, this.#log.numbers.after + 1);
    const rows = listRows(this.#log.open(), filter, { ...span, first, limit: -1 });
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
    this.#begin(() => {
      this.#recorder?.end('the request log was cleared');
      this.#deleteAll(false);
    });
  }

  /**
   * Lists none of the entries so far. Numbers start over, in a new id series unless the old one is repeated. A recording
   * goes on, and keeps what it needs. If the disk takes no write, the log stays as it is.
   */
  startOver({ sameIds = false }: { sameIds?: boolean | undefined } = {}): void {
    this.#begin(() => {
      if (this.#recorder === undefined) this.#deleteAll(sameIds);
      else this.#log.beginSeries(this.#last, { sameIds, isCleared: false });
    });
  }

  #deleteAll(sameIds: boolean): void {
    this.#queue.clear();
    this.#log.beginSeries(this.#last, { sameIds, isCleared: true });
    this.#bases.keepOnly(new Set());
  }

  #begin(act: () => void): void {
    try {
      this.#log.open();
      act();
    } catch (error) {
      this.#options.report(error);
    }
  }

  /** The number of the newest entry, once the file is open. */
  get #last(): number {
    return this.#log.numbers.before + this.#appended;
  }

  /** Follows the inputs of the world. */
  record(world: World, settings: RecorderOptions['settings']): Recorder {
    const recorder = new Recorder(world, {
      settings,
      runtime: this.#options.runtime,
      maxBase: MAX_BASE_BYTES[this.#options.file === undefined ? 'memory' : 'file'],
      push: (record) => this.#push(record),
      hasRoom: () => this.#queue.hasRoom,
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
    this.#log.repeatIds();
  }

  /** The ids of its requests, by their numbers. */
  get ids(): IdSeries {
    return this.#log.numbers.ids;
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
    this.#log.close();
  }

  /** Undefined in memory. */
  get file(): string | undefined {
    return this.#options.file;
  }

  /** Writes what was appended so far, while requests are handled. */
  async stored(): Promise<void> {
    const { appended } = this.progress;
    while (!this.#closed && this.progress.settled < appended) {
      this.#queue.writeChunk();
      await this.#options.runtime.sleep(0);
    }
    await this.settled();
  }

  /** Resolves when the bases of its recordings are stored. */
  settled(): Promise<void> {
    return this.#bases.settled();
  }

  async deleteBases(): Promise<void> {
    this.#bases.keepOnly(new Set());
    await this.#bases.settled();
  }

  /** Closes the file until it is next read or written. */
  rest(): void {
    this.#log.rest();
  }

  #written(): Store {
    if (this.#closed) throw notFound('world: it has been deleted, and its request log with it');
    this.#queue.flush();
    return this.#log.open();
  }

  #rowOf(id: string): RequestRow | undefined {
    const number = this.ids.read('req', id);
    return number === undefined
      ? undefined
      : rowBySeq(this.#written(), this.#log.numbers.after + number);
  }

  #read(rows: Parameters<typeof readEntry>[0][]): RequestLogEntry[] {
    const { annotate } = this.#options;
    const { after } = this.#log.numbers;
    return rows.map((row) => annotate(readEntry(row, this.ids, row.seq - after)));
  }

  #write(records: readonly QueueRecord[]): void {
    const written = this.#writer.write(records);
    if (!written) return;
    for (const watcher of this.#watchers) watcher.written(written);
  }

  #release(records: readonly QueueRecord[]): void {
    for (const record of records) if ('texts' in record) this.#texts.release(record.texts);
  }

  /** Records are missing now, so what comes after them cannot be replayed. */
  #lose(records: readonly QueueRecord[]): void {
    for (const { recording } of records) if (recording) this.#recorder?.lose(recording);
  }
}
