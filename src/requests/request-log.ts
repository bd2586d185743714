import { lte, max } from 'drizzle-orm';
import type { Runtime } from '../kernel/runtime.ts';
import { closeStore, type Store } from '../store/open.ts';
import { inserter, param, prepared } from '../store/prepared.ts';
import { openLog } from './log-file.ts';
import { type NewRequestRow, requests } from './schema.ts';

export const DEFAULT_KEPT = 10_000;

/** Rows are written a little later, so that no request waits for them. */
const WRITE_AFTER_MS = 25;
const CHUNK = 200;
/** Writing rests this many times as long as it took: under load the log costs a small, steady share. */
const REST_FACTOR = 24;
/** More is not kept in memory, however much slower the disk is than the requests. */
const MOST_UNWRITTEN_BYTES = 16 * 1024 * 1024;

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

/** What is yet to be written: made into a row only then, for it costs more than remembering it. */
export interface Unwritten {
  row(): NewRequestRow;
  /** Roughly what it holds in memory. */
  bytes: number;
}

/** Told, right after rows were written, of their numbers and where to read them. */
export type Watcher = (log: Store, written: { first: number; last: number }) => void;

/**
 * The newest requests of one world, in a database of their own: what was asked is not taken back by
 * restoring a snapshot, and writing it never makes a request wait. Rows are numbered in the order of
 * `append`. What a kill finds unwritten (about 25 ms) is lost; reading writes everything first.
 */
export class RequestLog {
  readonly #file: string | undefined;
  readonly #runtime: Runtime;
  readonly #kept: number;
  readonly #watchers = new Set<Watcher>();
  #store: Store | undefined;
  #unwritten: Unwritten[] = [];
  #bytes = 0;
  /** Number of the last one that was appended, counted from what the database holds. */
  #appended = 0;
  #cancelTimer: (() => void) | undefined;
  #closed = false;

  /** @param kept how many rows stay; 0 keeps none */
  constructor(file: string | undefined, runtime: Runtime, kept: number) {
    this.#file = file;
    this.#runtime = runtime;
    this.#kept = kept;
  }

  append(request: Unwritten): void {
    if (this.#closed || this.#kept === 0) return;
    this.#unwritten.push(request);
    this.#appended += 1;
    this.#bytes += request.bytes;
    // What would be pruned at once need not be written first.
    if (this.#unwritten.length > this.#kept + CHUNK) this.#forget(this.#kept);
    if (this.#bytes > MOST_UNWRITTEN_BYTES) this.#writeChunk();
    this.#cancelTimer ??= this.#runtime.after(WRITE_AFTER_MS, () => this.#writeSome());
  }

  /** Writes all that is unwritten, and returns the database to read from. */
  write(): Store {
    while (this.#unwritten.length > 0) this.#writeChunk();
    return this.#open();
  }

  /** Calls `see` whenever rows have been written, until the returned function is called. */
  watch(see: Watcher): () => void {
    this.#watchers.add(see);
    return () => this.#watchers.delete(see);
  }

  /** Forgets everything; numbers start over. */
  clear(): void {
    const store = this.#open();
    this.#unwritten = [];
    this.#bytes = 0;
    this.#appended = 0;
    store.db.delete(requests).run();
  }

  close(): void {
    if (this.#closed) return;
    if (this.#unwritten.length > 0) this.write();
    this.#closed = true;
    this.#cancelTimer?.();
    if (this.#store) closeStore(this.#store);
  }

  #writeSome(): void {
    this.#cancelTimer = undefined;
    if (this.#closed || this.#unwritten.length === 0) return;
    const begun = this.#runtime.monotonic();
    this.#writeChunk();
    if (this.#unwritten.length === 0) return;
    const rest = (this.#runtime.monotonic() - begun) * REST_FACTOR;
    this.#cancelTimer = this.#runtime.after(rest, () => this.#writeSome());
  }

  #writeChunk(): void {
    const store = this.#open();
    if (this.#unwritten.length > this.#kept) this.#forget(this.#kept);
    const chunk = this.#unwritten.splice(0, CHUNK);
    const first = this.#appended - this.#unwritten.length - chunk.length + 1;
    this.#bytes = this.#unwritten.length === 0 ? 0 : this.#bytes - bytesOf(chunk);
    const last = first + chunk.length - 1;
    store.client.transaction(() => {
      for (const [index, each] of chunk.entries()) {
        insert(store, { seq: first + index, ...each.row() });
      }
      prune(store).run({ seq: last - this.#kept });
    })();
    for (const see of this.#watchers) see(store, { first, last });
  }

  /** Drops the oldest of what is unwritten, down to `left`. */
  #forget(left: number): void {
    this.#bytes -= bytesOf(this.#unwritten.splice(0, this.#unwritten.length - left));
  }

  #open(): Store {
    if (this.#store) return this.#store;
    this.#store = openLog(this.#file);
    this.#appended += lastSeq(this.#store).get()?.seq ?? 0;
    return this.#store;
  }
}

function bytesOf(unwritten: readonly Unwritten[]): number {
  return unwritten.reduce((sum, { bytes }) => sum + bytes, 0);
}
