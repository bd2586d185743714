import { asc, eq, gte, lt, lte, notInArray, or, sum } from 'drizzle-orm';
import { notFound } from '../kernel/errors.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { KnownSecrets, MIN_KNOWN_SECRET } from '../redaction/known-secrets.ts';
import { closeStore, type Store } from '../store/open.ts';
import { param, prepared } from '../store/prepared.ts';
import { finder, inserter, select } from '../store/table.ts';
import type { Base, RunLog } from '../world/run.ts';
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
import {
  type Annotate,
  type RawEntry,
  REQUEST_IDS,
  type RequestLogEntry,
  readEntry,
} from './log-entry.ts';
import {
  type AttemptRow,
  attempts,
  bases,
  hiddenEntries,
  openLog,
  type RequestRow,
  requests,
} from './log-file.ts';
import { redactEntry } from './redact-entry.ts';

const DEFAULT_KEPT = 10_000;
/** Limit of the bodies of all entries. */
export const MAX_BYTES = 64 * 1024 * 1024;

/** Entries are written a little later: no request waits for them, and a burst shares a transaction. */
const WRITE_AFTER_MS = 5;
/** Entries that one statement deletes: few enough not to hold up requests. */
const PRUNED_AT_ONCE = 250;

interface RequestLogOptions {
  /** Undefined keeps the log in memory. */
  file: string | undefined;
  runtime: Runtime;
  /** How many entries are kept; 0 keeps none. */
  maxEntries?: number | undefined;
  annotate: Annotate;
  /** Returns the secrets of a world, its credentials' and webhooks'; of all worlds if it is undefined. */
  secretsOf(world: World | undefined): Iterable<string>;
  /** Whether a text is the secret of a credential. */
  isCredentialSecret(secret: string): boolean;
  /** Called with unexpected errors. */
  report(error: unknown): void;
}

/** What a world has had in the log, also before a reset. */
interface History {
  /** Entries from a number on, oldest first. */
  history(first: number, limit: number): RequestLogEntry[];
  /** The finished webhook attempts, oldest first. */
  attempts(): AttemptRow[];
  /** How many entries were deleted because newer ones came. */
  dropped: number;
}

type NewAttempt = Omit<AttemptRow, 'id' | 'world' | 'after'>;

/** What is written next. */
type Queued = { world: World } & ({ entry: RawEntry } | { attempt: NewAttempt });

interface Page {
  /** A number; entries before it are listed. */
  before?: number | undefined;
  /** -1 for all. */
  limit: number;
}

/** Called after entries of a world were written, with their numbers. */
type Watcher = (span: SeqRange) => void;

const insert = inserter(requests);
const insertAttempt = inserter(attempts);
const allHidden = select(hiddenEntries);
const findBase = finder(bases, 'world');
const entriesFrom = select(requests, {
  where: [eq(requests.world, param('world')), gte(requests.seq, param('first'))],
  orderBy: [asc(requests.seq)],
  limit: param('limit'),
});
const attemptsOf = select(attempts, {
  where: [eq(attempts.world, param('world'))],
  orderBy: [asc(attempts.id)],
});
const oldestEntry = select(requests, {
  columns: { seq: requests.seq },
  orderBy: [asc(requests.seq)],
  limit: 1,
});
const deleteUpTo = prepared((db) =>
  db
    .delete(requests)
    .where(lte(requests.seq, param('seq')))
    .orderBy(asc(requests.seq))
    .limit(PRUNED_AT_ONCE)
    .returning({ world: requests.world, size: requests.size })
    .prepare(),
);
const deleteAttempts = prepared((db) =>
  db
    .delete(attempts)
    .where(lt(attempts.after, param('seq')))
    .prepare(),
);

/**
 * The request log of all worlds, in a database of its own, which restoring a snapshot does not touch. It keeps the newest
 * entries, within a limit of their bodies. A kill loses entries that are not written yet; reading writes them first.
 */
export class RequestLog {
  readonly #options: RequestLogOptions;
  readonly #maxEntries: number;
  readonly #watchers = new Map<World, Set<Watcher>>();
  readonly #secrets = new WeakMap<World, { values: string[]; known: KnownSecrets }>();
  #store: Store | undefined;
  #isClosed = false;
  #queue: Queued[] = [];
  #cancelWrite: (() => void) | undefined;
  /** Number of the newest entry. */
  #last = 0;
  /** Size of the bodies of all entries. */
  #bytes = 0;
  /** By world, the number of its last entry that is not listed. */
  readonly #hidden = new Map<string, number>();
  /** By world, how many entries were deleted because newer ones came. */
  readonly #dropped = new Map<string, number>();

  constructor(options: RequestLogOptions) {
    this.#options = options;
    this.#maxEntries = options.maxEntries ?? DEFAULT_KEPT;
  }

  /** Whether requests are logged. */
  get isOn(): boolean {
    return this.#maxEntries !== 0;
  }

  append(world: World, entry: RawEntry): void {
    this.#enqueue({ world, entry });
  }

  /** Adds a finished webhook attempt after the entries so far. */
  addAttempt(world: World, attempt: NewAttempt): void {
    this.#enqueue({ world, attempt });
  }

  #enqueue(item: Queued): void {
    if (!this.isOn || this.#isClosed || item.world.isClosed) return;
    this.#queue.push(item);
    this.#cancelWrite ??= this.#options.runtime.after(WRITE_AFTER_MS, () => {
      try {
        this.flush();
      } catch (error) {
        this.#options.report(error);
      }
    });
  }

  /** Writes what is not written yet. What cannot be written is lost: serving requests matters more than their log. */
  flush(): void {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    if (this.#queue.length === 0) return;
    const items = this.#queue;
    this.#queue = [];
    for (const [world, span] of this.#write(items)) {
      for (const watcher of this.#watchers.get(world) ?? []) watcher(span);
    }
  }

  /** The database, with all entries so far. */
  get store(): Store {
    const store = this.#opened();
    this.flush();
    return store;
  }

  /** Lists matching entries of a world, newest first. @throws not_found once the world is deleted */
  list(world: World, filter: RequestFilter, page: Page): RequestLogEntry[] {
    const { store } = this;
    return this.#read(listRows(store, filter, { ...page, ...this.#listed(world) }));
  }

  /** Counts matching entries of a world. */
  count(world: World, filter: RequestFilter): number {
    const { store } = this;
    return countRows(store, filter, this.#listed(world));
  }

  /** The matching entries of a span of numbers, oldest first. */
  listSpan(world: World, filter: RequestFilter, span: SeqRange): RequestLogEntry[] {
    const { store } = this;
    const listed = this.#listed(world);
    const range = { ...listed, first: Math.max(span.first, listed.first), last: span.last };
    return this.#read(listRows(store, filter, { ...range, limit: -1 }).reverse());
  }

  find(world: World, id: string): RequestLogEntry | undefined {
    const row = this.#rowOf(world, id);
    const [entry] = this.#read(row ? [row] : []);
    return entry;
  }

  isListed(world: World, id: string): boolean {
    return this.#rowOf(world, id) !== undefined;
  }

  /** @param field that has the id, for the error. @throws not_found */
  require(world: World, id: string, field = 'request_id'): RequestLogEntry {
    const entry = this.find(world, id);
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
    if (seq > this.#last || (row && row.seq >= this.#firstListed(row.world))) return;
    throw notFound(
      `${field}: request ${id} is no longer in the log (keeps the newest ${this.#maxEntries})`,
    );
  }

  #rowOf(world: World, id: string): RequestRow | undefined {
    const { store } = this;
    const { first } = this.#listed(world);
    const seq = REQUEST_IDS.read('req', id);
    const row = (seq === undefined ? undefined : rowBySeq(store, seq)) ?? rowByRequestId(store, id);
    return row && row.world === world.name && row.seq >= first ? row : undefined;
  }

  /** The entries of a world that are listed. @throws not_found once the world is deleted */
  #listed({ name, isClosed }: World): { world: string; first: number } {
    if (isClosed) throw notFound('world: it has been deleted, and its request log with it');
    return { world: name, first: this.#firstListed(name) };
  }

  /** Number of the oldest entry of a world that is listed. */
  #firstListed(world: string): number {
    return Math.max(this.#hidden.get(world) ?? 0, this.#last - this.#maxEntries) + 1;
  }

  #read(rows: readonly RequestRow[]): RequestLogEntry[] {
    return rows.map((row) => this.#options.annotate(readEntry(row)));
  }

  /** Calls the watcher after entries of a world were written, until the returned function is called. */
  watch(world: World, watcher: Watcher): () => void {
    const watchers = this.#watchers.get(world) ?? new Set();
    this.#watchers.set(world, watchers.add(watcher));
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0) this.#watchers.delete(world);
    };
  }

  /** The runs and the base of a world, also those of before a reset. */
  runsOf(world: World): RunLog {
    const store = () => this.store;
    const setBase = (base: Base | undefined) => this.#setBase(world, base);
    return {
      get lastRun() {
        return lastRun(store(), world.name);
      },
      get base() {
        return findBase(store(), world.name);
      },
      setBase,
    };
  }

  /** The secrets of a world that are redacted. */
  secretsOf(world: World): string[] {
    return Array.from(this.#options.secretsOf(world)).filter(
      ({ length }) => length >= MIN_KNOWN_SECRET,
    );
  }

  /** Removes secrets from a message: those of a world, or of all. Not for responses, which stay as they are. */
  redact(message: string, world?: World): string {
    try {
      const secrets = world
        ? this.#knownSecrets(world)
        : new KnownSecrets(this.#options.secretsOf(undefined));
      return secrets.redact(message);
    } catch {
      return 'an error whose text may hold a secret: the secrets cannot be read now';
    }
  }

  /** What a world has had in the log, or each world, deleted ones too. */
  histories(world?: World): { world: string; log: History }[] {
    const { store } = this;
    const names = [requests, attempts].flatMap((table) =>
      store.db.selectDistinct({ name: table.world }).from(table).all(),
    );
    const all = world ? [world.name] : new Set(names.map(({ name }) => name));
    return Array.from(all, (name) => ({ world: name, log: this.#historyOf(name) }));
  }

  #historyOf(world: string): History {
    const { store } = this;
    return {
      history: (first, limit) => this.#read(entriesFrom(store).all({ world, first, limit })),
      attempts: () => attemptsOf(store).all({ world }),
      dropped: this.#dropped.get(world) ?? 0,
    };
  }

  /** Keeps the state in which a world began; undefined forgets it. */
  #setBase({ name }: World, base: Base | undefined): void {
    if (!this.isOn) return;
    this.#change(({ db }) => {
      db.delete(bases).where(eq(bases.world, name)).run();
      if (base)
        db.insert(bases)
          .values({ world: name, ...base })
          .run();
    });
  }

  /** Stops listing the entries of a world so far; `histories` still has them. */
  hide(world: World): void {
    this.#change((store) => {
      const row = { world: world.name, last: this.#last };
      const set = { last: row.last };
      const target = hiddenEntries.world;
      store.db.insert(hiddenEntries).values(row).onConflictDoUpdate({ target, set }).run();
      this.#hidden.set(row.world, row.last);
    });
  }

  /** Deletes the entries of a world, and of deleted ones. @param existing names of all worlds */
  clear(world: World, existing: readonly string[]): void {
    this.#change((store) => {
      store.client.transaction(() => {
        for (const table of [requests, attempts]) {
          const isGone = or(eq(table.world, world.name), notInArray(table.world, [...existing]));
          store.db.delete(table).where(isGone).run();
        }
      })();
      this.#bytes = bytesIn(store);
      for (const name of this.#dropped.keys()) {
        if (name === world.name || !existing.includes(name)) this.#dropped.delete(name);
      }
    });
  }

  /** If the disk takes no write, the log stays as it is. */
  #change(act: (store: Store) => void): void {
    try {
      act(this.store);
    } catch (error) {
      this.#options.report(error);
    }
  }

  /** Hides the entries of a deleted world, and forgets its base. */
  remove(world: World): void {
    this.hide(world);
    this.#setBase(world, undefined);
  }

  close(): void {
    try {
      this.flush();
      this.#store?.db.update(bases).set({ isComplete: true }).run();
    } catch (error) {
      // On a full disk the unwritten entries are lost, but closing goes on.
      this.#options.report(error);
    }
    if (this.#store) closeStore(this.#store);
    this.#store = undefined;
    this.#isClosed = true;
  }

  #opened(): Store {
    if (this.#store) return this.#store;
    if (this.#isClosed) throw new Error('the request log is closed');
    const store = openLog(this.#options.file);
    this.#store = store;
    // After a kill, the log may lack the last requests, so that those since the base do not lead to the present state.
    store.db.delete(bases).where(eq(bases.isComplete, false)).run();
    store.db.update(bases).set({ isComplete: false }).run();
    for (const { world, last } of allHidden(store).all()) this.#hidden.set(world, last);
    const sequence = store.client.prepare(
      "SELECT seq FROM sqlite_sequence WHERE name = 'requests'",
    );
    this.#last = Number(sequence.pluck().get() ?? 0);
    this.#bytes = bytesIn(store);
    return store;
  }

  /** @returns the numbers of the new entries, by world */
  #write(items: readonly Queued[]): Map<World, SeqRange> {
    const written = new Map<World, SeqRange>();
    const secrets = new Map<World, KnownSecrets>();
    const store = this.#opened();
    let [last, bytes] = [this.#last, this.#bytes];
    store.client.transaction(() => {
      for (const { world, ...item } of items) {
        if ('attempt' in item) {
          insertAttempt(store, { ...item.attempt, world: world.name, after: last });
        } else {
          const known = secrets.get(world) ?? this.#knownSecrets(world);
          secrets.set(world, known);
          const row = this.#redacted(item.entry, known);
          if (!row) continue;
          last += 1;
          bytes += row.size;
          insert(store, { ...row, world: world.name, seq: last });
          written.set(world, { first: written.get(world)?.first ?? last, last });
        }
      }
      bytes -= this.#prune(store, last, bytes);
    })();
    this.#last = last;
    this.#bytes = bytes;
    return written;
  }

  /** Leaves out an entry that cannot be redacted; it must not cost the others. */
  #redacted(entry: RawEntry, secrets: KnownSecrets) {
    try {
      return redactEntry(entry, secrets, this.#options.isCredentialSecret);
    } catch (error) {
      this.#options.report(error);
      return undefined;
    }
  }

  /** Deletes the oldest entries beyond the limits. @returns the size of their bodies */
  #prune(store: Store, last: number, bytes: number): number {
    // Later writes delete the rest.
    let deleted = this.#delete(store, last - this.#maxEntries);
    while (bytes - deleted > MAX_BYTES) {
      const [oldest] = oldestEntry(store).all();
      deleted += this.#delete(store, (oldest?.seq ?? 0) + PRUNED_AT_ONCE / 10);
    }
    if (deleted > 0) {
      const [oldest] = oldestEntry(store).all();
      deleteAttempts(store).run({ seq: (oldest?.seq ?? last) - 1 });
    }
    return deleted;
  }

  #delete(store: Store, seq: number): number {
    let deleted = 0;
    for (const { world, size } of deleteUpTo(store).all({ seq })) {
      deleted += size;
      this.#dropped.set(world, (this.#dropped.get(world) ?? 0) + 1);
    }
    return deleted;
  }

  #knownSecrets(world: World): KnownSecrets {
    const values = this.secretsOf(world);
    const last = this.#secrets.get(world);
    const isSame = last?.values.length === values.length;
    if (isSame && last.values.every((value, at) => value === values[at])) return last.known;
    const known = new KnownSecrets(values);
    this.#secrets.set(world, { values, known });
    return known;
  }
}

function bytesIn(store: Store): number {
  return Number(
    store.db
      .select({ bytes: sum(requests.size) })
      .from(requests)
      .get()?.bytes ?? 0,
  );
}
