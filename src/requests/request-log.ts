import { notFound } from '../kernel/errors.ts';
import type { Store } from '../store/open.ts';
import { finder } from '../store/table.ts';
import type { Base } from '../world/base.ts';
import type { RunLog } from '../world/run.ts';
import type { World } from '../world/world.ts';
import {
  countRows,
  lastRun,
  listRows,
  type RequestFilter,
  rowByRequestId,
  rowBySeq,
  type SeqRange,
} from './list-requests.ts';
import { endOf, type RawEntry, REQUEST_IDS, type RequestLogEntry } from './log-entry.ts';
import { type AttemptRow, bases, type RequestRow } from './log-file.ts';

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

interface Page {
  /** A number; entries before it are listed. */
  before?: number | undefined;
  limit: number;
}

const baseOf = finder(bases, 'world');

/** What is written next. */
export type Queued = { entry: RawEntry } | { attempt: Omit<AttemptRow, 'id' | 'world' | 'after'> };

/** The log of all worlds. */
export interface WorldLogs {
  readonly maxEntries: number;
  /** The database, with all entries so far. */
  readonly store: Store;
  /** Number of the newest entry, once the database is open. */
  readonly last: number;
  enqueue(world: World, item: Queued): void;
  setBase(world: World, base: Base | undefined): void;
  /** Number of the oldest entry of a world that is listed. */
  firstListed(world: string): number;
  read(rows: readonly RequestRow[]): RequestLogEntry[];
}

/** The requests of a world in the log. */
export class RequestLog implements RunLog {
  readonly #logs: WorldLogs;
  readonly #world: World;
  readonly #watchers = new Set<LogWatcher>();
  #isEnded = false;

  constructor(logs: WorldLogs, world: World) {
    this.#logs = logs;
    this.#world = world;
  }

  append(entry: RawEntry): void {
    if (!this.#isEnded) this.#logs.enqueue(this.#world, { entry });
  }

  /** Adds a finished webhook attempt after the entries so far. */
  addAttempt(attempt: Omit<AttemptRow, 'id' | 'world' | 'after'>): void {
    if (!this.#isEnded) this.#logs.enqueue(this.#world, { attempt });
  }

  /** The database, with all entries so far. @throws not_found once the world is deleted */
  get store(): Store {
    if (this.#isEnded) throw notFound('world: it has been deleted, and its request log with it');
    return this.#logs.store;
  }

  /** Lists matching entries, newest first. @throws not_found once the world is deleted */
  list(filter: RequestFilter, page: Page): RequestLogEntry[] {
    const { store } = this;
    return this.#logs.read(listRows(store, filter, { ...page, ...this.#listed }));
  }

  /** Lists as `list` does, and counts all matches. @throws not_found once the world is deleted */
  search(filter: RequestFilter, page: Page): SearchResult {
    const entries = this.list(filter, page);
    return { entries, total: countRows(this.store, filter, this.#listed) };
  }

  /** The matching entries of a span of numbers, oldest first. */
  listSpan(filter: RequestFilter, span: SeqRange): RequestLogEntry[] {
    const { world, first } = this.#listed;
    const range = { world, first: Math.max(span.first, first), last: span.last, limit: -1 };
    return this.#logs.read(listRows(this.store, filter, range).reverse());
  }

  find(id: string): RequestLogEntry | undefined {
    const row = this.#rowOf(id);
    const [entry] = this.#logs.read(row ? [row] : []);
    return entry;
  }

  /** When a listed request ended, real time, Unix ms. */
  endedAt(id: string): number | undefined {
    const row = this.#rowOf(id);
    return row && endOf(row);
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
    const { store } = this;
    const seq = REQUEST_IDS.read('req', id) ?? Number.POSITIVE_INFINITY;
    const row = rowBySeq(store, seq);
    if (seq > this.#logs.last || (row && row.seq >= this.#logs.firstListed(row.world))) return;
    throw notFound(
      `${field}: request ${id} is no longer in the log (keeps the newest ${this.#logs.maxEntries})`,
    );
  }

  /** The highest number of a run among the entries of the world, also those before a reset; 0 if there is none. */
  get lastRun(): number {
    return lastRun(this.store, this.#world.name);
  }

  get base(): Base | undefined {
    return baseOf(this.store, this.#world.name);
  }

  setBase(base: Base | undefined): void {
    this.#logs.setBase(this.#world, base);
  }

  /** Calls the watcher until the returned function is called. */
  watch(watcher: LogWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Tells the watchers of new entries. */
  notify(span: SeqRange): void {
    for (const watcher of this.#watchers) watcher.written(span);
  }

  /** Called when the world is deleted, or the sandbox closes. */
  end(): void {
    this.#isEnded = true;
    for (const watcher of this.#watchers) watcher.ended();
  }

  /** Its entries that are listed. */
  get #listed(): { world: string; first: number } {
    const { name } = this.#world;
    return { world: name, first: this.#logs.firstListed(name) };
  }

  #rowOf(id: string): RequestRow | undefined {
    const { store } = this;
    const seq = REQUEST_IDS.read('req', id);
    const row = (seq === undefined ? undefined : rowBySeq(store, seq)) ?? rowByRequestId(store, id);
    const { world, first } = this.#listed;
    const isListed = row?.world === world && row.seq >= first;
    return isListed && (row.requestId ?? id) === id ? row : undefined;
  }
}
