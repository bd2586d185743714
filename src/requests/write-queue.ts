import type { Runtime } from '../kernel/runtime.ts';
import { SECOND } from '../kernel/time.ts';
import { explainDiskFull } from '../store/errors.ts';
import type { RawEntry } from './log-entry.ts';
import type { LogRecord } from './log-extension.ts';

/** Entries are written a little later, so that no request waits for them. */
const WRITE_AFTER_MS = 25;
/** A write of more would hold up requests. */
const CHUNK = 100;
/** Writing rests this many times as long as it took, reading for tools included: under load, 2% of the time. */
const REST_FACTOR = 48;
/** After one slow write, who follows the log does not wait longer than this. */
const MAX_REST_MS = SECOND;
/** In characters. More is not kept in memory, however much slower the disk is than the requests. */
const MAX_SIZE = 32 * 1024 * 1024;

/** `order` counts the entries of this process; that of a record is the order of the entry before it. */
export type Queued = { order: number } & ({ entry: RawEntry } | { record: LogRecord });

export interface WriteQueueOptions {
  runtime: Runtime;
  /** More entries than these are not kept: the oldest are dropped. */
  limit: number;
  /** Writes the oldest records. */
  write(records: readonly Queued[]): void;
  /** Called with errors of background writes. */
  report(error: unknown): void;
}

/** Records that are not written yet, oldest first. */
export class WriteQueue {
  readonly #options: WriteQueueOptions;
  #entries: Queued[] = [];
  #size = 0;
  #pushed = 0;
  #isStopped = false;
  #cancelTimer: (() => void) | undefined;
  /** On the monotonic clock. */
  #restsUntil = 0;

  constructor(options: WriteQueueOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#entries.length;
  }

  /** Whether nearly everything is written. Under more load than is stored, it is not. */
  get hasRoom(): boolean {
    return this.#entries.length <= CHUNK;
  }

  /** How many were ever pushed. */
  get pushed(): number {
    return this.#pushed;
  }

  push(entry: Queued): void {
    if (this.#isStopped) return;
    this.#pushed += 1;
    this.#entries.push(entry);
    this.#size += sizeOf([entry]);
    // What would be pruned at once need not be written first.
    if (this.#entries.length >= this.#options.limit + CHUNK) this.#lose(CHUNK);
    if (this.#size > MAX_SIZE) this.#makeSpace();
    this.#schedule();
  }

  /** Writes everything now. */
  flush(): void {
    this.#lose(Math.max(0, this.#entries.length - this.#options.limit));
    while (this.#entries.length > 0) this.writeChunk();
  }

  /** Forgets everything. */
  clear(): void {
    this.#drop(this.#entries.length);
  }

  /** Ignores later records. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer?.();
  }

  #schedule(): void {
    if (this.#cancelTimer) return;
    const { runtime } = this.#options;
    const wait = Math.max(WRITE_AFTER_MS, this.#restsUntil - runtime.monotonic());
    this.#cancelTimer = runtime.after(wait, () => this.#writeSome());
  }

  #writeSome(): void {
    const { runtime, report } = this.#options;
    this.#cancelTimer = undefined;
    if (this.#entries.length === 0) return;
    const begun = runtime.monotonic();
    try {
      this.writeChunk();
    } catch (error) {
      // On a full disk, what is left is written after the next request.
      report(error);
      return;
    }
    const end = runtime.monotonic();
    this.#restsUntil = end + Math.min((end - begun) * REST_FACTOR, MAX_REST_MS);
    if (this.#entries.length > 0) this.#schedule();
  }

  /** Writes a part, or drops it if the disk does not take it: requests are more than their log. */
  #makeSpace(): void {
    try {
      this.writeChunk();
    } catch (error) {
      this.#options.report(error);
      this.#lose(CHUNK);
    }
  }

  /** Writes the oldest records. */
  writeChunk(): void {
    const chunk = this.#drop(CHUNK);
    try {
      this.#options.write(chunk);
    } catch (error) {
      // On a full disk they wait. Entries that cannot be written at all must not stay.
      if (explainDiskFull(error) !== undefined) {
        this.#entries.unshift(...chunk);
        this.#size += sizeOf(chunk);
      }
      throw error;
    }
  }

  #lose(count: number): void {
    for (const lost of this.#drop(count)) ('entry' in lost ? lost.entry : lost.record).dropped?.();
  }

  #drop(count: number): Queued[] {
    const dropped = this.#entries.splice(0, count);
    this.#size -= sizeOf(dropped);
    return dropped;
  }
}

function sizeOf(records: readonly Queued[]): number {
  let size = 0;
  for (const each of records) size += 'entry' in each ? sizeOfEntry(each.entry) : each.record.size;
  return size;
}

function sizeOfEntry({ head, headers, body, response }: RawEntry): number {
  return head.length + headers.length + body.length + response.length;
}
