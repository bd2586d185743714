import { and, asc, count, desc, eq, gte, isNull, lte, notInArray, type SQL } from 'drizzle-orm';
import { notFound } from '../kernel/errors.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { KnownTexts, MIN_KNOWN_LENGTH } from '../redaction/redact.ts';
import { closeStore, type Store } from '../store/open.ts';
import { param, prepared } from '../store/prepared.ts';
import { finder, inserter, select } from '../store/table.ts';
import type { RunLog, WorldBase } from '../world/run.ts';
import type { World } from '../world/world.ts';
import {
  type Annotate,
  type RawEntry,
  REQUEST_IDS,
  type RequestLogEntry,
  readEntry,
} from './log-entry.ts';
import { type Attempt, attempts, openLog, type RequestRow, requests, worlds } from './log-file.ts';
import { redactEntry } from './redact-entry.ts';

const DEFAULT_MAX_ENTRIES = 10_000;
/** Limit of the bodies of all entries. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Entries are written a little later: no request waits for them, and a burst shares a transaction. */
const WRITE_AFTER_MS = 5;
/** How many of the oldest entries are deleted at once if the bodies are larger than `MAX_BYTES`. */
const DELETED_AT_ONCE = 25;
/** No base: the requests of the world cannot run again. */
const NO_BASE = { base: null, firstRun: null };

interface RequestLogOptions {
  /** Undefined keeps the log in memory. */
  file: string | undefined;
  runtime: Runtime;
  /** How many entries of all worlds together are kept; 0 logs none. */
  maxEntries?: number | undefined;
  /** Returns the present start, with its address once the port is bound. */
  start(): RequestRow['start'];
  annotate: Annotate;
  /** Returns the secrets of all worlds: a request to one may have that of another. */
  secrets(): readonly string[];
  /** Whether a text is the secret of a credential. */
  isCredentialSecret(secret: string): boolean;
  /** Called with unexpected errors. */
  report(error: unknown): void;
}

/** What is written next. */
type Queued = { world: World } & ({ entry: RawEntry } | { attempt: Attempt });

/** Which entries of a world are listed. */
interface Selection {
  where?: SQL | undefined;
  /** Numbers of entries, both inclusive. */
  first?: number | undefined;
  last?: number | undefined;
  /** Whether entries from before a reset or the deletion of the world are listed too. */
  hidden?: boolean;
}

const insertEntry = inserter(requests);
const insertAttempt = inserter(attempts);
const findWorld = finder(worlds, 'world');
const inWorldFrom = [eq(requests.world, param('world')), gte(requests.seq, param('first'))];
const entriesFrom = select(requests, {
  where: inWorldFrom,
  orderBy: [asc(requests.seq)],
  limit: param('limit'),
});
const entryByNumber = select(requests, {
  where: [...inWorldFrom, eq(requests.seq, param('seq')), isNull(requests.requestId)],
});
const entryById = select(requests, {
  where: [...inWorldFrom, eq(requests.requestId, param('id'))],
});
const attemptsOf = select(attempts, {
  where: [eq(attempts.world, param('world'))],
  orderBy: [asc(attempts.id)],
});
const oldestEntry = prepared(({ $client }) =>
  $client.prepare('SELECT min(seq) FROM requests').pluck(),
);
const deleteUpTo = prepared(({ $client }) =>
  $client.prepare('DELETE FROM requests WHERE seq <= ? RETURNING world, size, run'),
);
/** Sets `first_run` to 0 once a run since the base is dropped: the log never has all of them again (`WorldBase`). */
const addDropped = prepared(({ $client }) =>
  $client.prepare(
    `INSERT INTO worlds (world, dropped) VALUES (@world, @count) ON CONFLICT DO UPDATE
     SET dropped = dropped + @count, first_run = iif(first_run <= @run, 0, first_run)`,
  ),
);
const deleteAttempts = prepared(({ $client }) =>
  $client.prepare('DELETE FROM attempts WHERE after < ?'),
);

/**
 * The request log of all worlds, in a database of its own, which restoring a snapshot does not touch. It keeps the newest
 * entries, within a limit of their bodies. A kill loses entries that are not written yet; reading writes them first.
 * Reports read the finished webhook attempts beside them, and a replay what `RunLog` has of each world.
 */
export class RequestLog implements RunLog {
  readonly #options: RequestLogOptions;
  readonly #maxEntries: number;
  /** The secrets, and the pattern that is made of them when they change. */
  #known: { list: string; texts: KnownTexts } | undefined;
  #store: Store | undefined;
  #isClosed = false;
  #queue: Queued[] = [];
  #cancelWrite: (() => void) | undefined;
  /** Number of the last entry. */
  #lastSeq = 0;
  /** Size of the bodies of all entries. */
  #bytes = 0;

  constructor(options: RequestLogOptions) {
    this.#options = options;
    this.#maxEntries = options.maxEntries ?? DEFAULT_MAX_ENTRIES;
  }

  append(world: World, entry: RawEntry): void {
    this.#enqueue({ world, entry });
  }

  /** Adds a finished webhook attempt after the entries so far. */
  addAttempt(world: World, attempt: Attempt): void {
    this.#enqueue({ world, attempt });
  }

  #enqueue(item: Queued): void {
    if (this.#maxEntries === 0 || this.#isClosed || item.world.isClosed) return;
    this.#queue.push(item);
    this.#cancelWrite ??= this.#options.runtime.after(WRITE_AFTER_MS, () => this.flush());
  }

  /** Serving requests matters more than their log: a full disk or a damaged log fails none of them. */
  #try<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      this.#options.report(error);
      return undefined;
    }
  }

  /** Writes what is not written yet. What cannot be written is lost. */
  flush(): void {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    if (this.#queue.length === 0) return;
    const items = this.#queue;
    this.#queue = [];
    this.#try(() => this.#write(items));
    for (const world of new Set(items.map((item) => item.world))) world.notifyWatchers();
  }

  /** The database, with all entries so far. */
  get store(): Store {
    const store = this.#opened();
    this.flush();
    return store;
  }

  /** Lists entries of a world, newest first; all for limit -1. @throws not_found once it is deleted, unless `hidden` */
  list(world: World, { limit, ...selection }: Selection & { limit: number }): RequestLogEntry[] {
    const listed = this.store.db.select().from(requests).where(this.#isListed(world, selection));
    const rows = listed.orderBy(desc(requests.seq)).limit(limit).all();
    return rows.map((row) => this.#read(row));
  }

  /** Counts entries of a world. */
  count(world: World, where: SQL | undefined): number {
    const counted = this.store.db.select({ n: count() }).from(requests);
    return counted.where(this.#isListed(world, { where })).get()?.n ?? 0;
  }

  /** The number that the next entry gets. */
  get nextSeq(): number {
    this.flush();
    this.#opened();
    return this.#lastSeq + 1;
  }

  /** Makes the number of the next entry greater than `seq`. */
  skipTo(seq: number): void {
    this.#opened();
    this.#lastSeq = Math.max(this.#lastSeq, seq);
  }

  find(world: World, id: string): RequestLogEntry | undefined {
    const { store } = this;
    const listed = { world: world.name, first: this.#firstListed(world) };
    const seq = REQUEST_IDS.read('req', id) ?? 0;
    const row =
      entryByNumber(store).get({ ...listed, seq }) ?? entryById(store).get({ ...listed, id });
    return row && this.#read(row);
  }

  /** @param field that has the id, for the error. @throws not_found */
  require(world: World, id: string, field = 'request_id'): RequestLogEntry {
    const entry = this.find(world, id);
    if (entry) return entry;
    throw notFound(
      `${field}: request ${id} not found; GET /_sandbox/requests lists those in the log, which keeps the newest ${this.#maxEntries}`,
    );
  }

  /** Number of the first entry of a world that is listed. @throws not_found once the world is deleted */
  #firstListed({ name, isClosed }: World): number {
    if (isClosed) throw notFound('world: it has been deleted, and its request log with it');
    const { hiddenUpTo = 0 } = findWorld(this.#opened(), name) ?? {};
    // The log has entries beyond a lowered limit until the next write, which never comes with a limit of 0.
    return Math.max(hiddenUpTo, this.#lastSeq - this.#maxEntries) + 1;
  }

  #isListed(world: World, { first = 1, last, where, hidden }: Selection): SQL | undefined {
    return and(
      eq(requests.world, world.name),
      gte(requests.seq, hidden ? first : Math.max(first, this.#firstListed(world))),
      last === undefined ? undefined : lte(requests.seq, last),
      where,
    );
  }

  #read(row: RequestRow): RequestLogEntry {
    return this.#options.annotate(readEntry(row));
  }

  /** The worlds in the log, deleted ones too. */
  worldNames(): string[] {
    const names = 'SELECT world FROM requests UNION SELECT world FROM attempts';
    return this.store.client.prepare(names).pluck().all() as string[];
  }

  /** The entries of a world from a number on, oldest first, also those from before a reset. */
  history(world: string, first: number, limit: number): RequestLogEntry[] {
    const rows = entriesFrom(this.store).all({ world, first, limit });
    return rows.map((row) => this.#read(row));
  }

  /** The finished webhook attempts of the worlds of a name, oldest first. Where one ended, the attempt is null. */
  attempts(world: string): { after: number; attempt: Attempt | null }[] {
    return attemptsOf(this.store).all({ world });
  }

  /** How many entries of a world were deleted because newer ones came. */
  dropped(world: string): number {
    return findWorld(this.store, world)?.dropped ?? 0;
  }

  /** The secrets that are redacted. */
  secrets(): readonly string[] {
    return this.#options.secrets();
  }

  /** Removes secrets from a text to show, such as an error or what a receiver responded. API responses stay as they are. */
  redact(message: string): string {
    // Most receivers respond `ok`: the secrets of all worlds need not be read for it.
    if (Buffer.byteLength(message) < MIN_KNOWN_LENGTH) return message;
    try {
      return this.#knownSecrets().redact(message);
    } catch {
      return 'an error whose text may hold a secret: the secrets cannot be read now';
    }
  }

  lastRun(world: string): number {
    const last = 'SELECT max(run) FROM requests WHERE world = ?';
    return Number(this.#try(() => this.store.client.prepare(last).pluck().get(world)) ?? 0);
  }

  base(world: string): WorldBase | undefined {
    const { base, firstRun } = this.#try(() => findWorld(this.store, world)) ?? {};
    const isStored = this.#maxEntries > 0 && firstRun != null;
    return base === undefined || !isStored ? undefined : { firstRun, state: base };
  }

  setBase(world: string, base: WorldBase | undefined): void {
    // Requests that are not logged cannot run again.
    const values =
      base && this.#maxEntries > 0 ? { base: base.state, firstRun: base.firstRun } : NO_BASE;
    this.#try(() => this.#updateWorld(this.store, world, values));
  }

  /** Stops listing the entries so far of a world that is reset or deleted, and marks its end among the attempts. */
  hide({ name }: World): void {
    this.#try(() => {
      this.#hideIn(this.store, name);
      insertAttempt(this.store, { world: name, after: this.#lastSeq, attempt: null });
    });
  }

  #hideIn(store: Store, name: string): void {
    this.#updateWorld(store, name, { hiddenUpTo: this.#lastSeq, ...NO_BASE });
  }

  #updateWorld({ db }: Store, world: string, values: Partial<typeof worlds.$inferInsert>): void {
    const inserted = db.insert(worlds).values({ ...values, world });
    inserted.onConflictDoUpdate({ target: worlds.world, set: values }).run();
  }

  /** Deletes the entries, attempts and base of a world, and of deleted ones. @param existing names of all worlds */
  clear(world: World, existing: readonly string[]): void {
    const others = existing.filter((name) => name !== world.name);
    this.#try(() => {
      const { store } = this;
      store.client.transaction(() => {
        for (const table of [requests, attempts]) {
          store.db.delete(table).where(notInArray(table.world, others)).run();
        }
        store.db.update(worlds).set({ dropped: 0 }).where(notInArray(worlds.world, others)).run();
        // Also keeps the number of the last entry, which `#opened` reads: no number is used again.
        this.#hideIn(store, world.name);
      })();
      this.#bytes = bytesIn(store);
    });
    world.forgetBase();
    world.notifyWatchers();
  }

  close(): void {
    // On a full disk the unwritten entries are lost, but closing goes on.
    this.flush();
    if (this.#store) closeStore(this.#store);
    this.#store = undefined;
    this.#isClosed = true;
  }

  /** The database, opened on first use. Unlike `store`, it does not write the queue first. */
  #opened(): Store {
    if (this.#store) return this.#store;
    if (this.#isClosed) throw new Error('the request log is closed');
    const store = openLog(this.#options.file);
    const numbers = 'SELECT seq FROM requests UNION ALL SELECT hidden FROM worlds';
    const newest = store.client.prepare(`SELECT max(seq) FROM (${numbers})`).pluck().get();
    this.#lastSeq = Number(newest ?? 0);
    this.#bytes = bytesIn(store);
    this.#store = store;
    return store;
  }

  #write(items: readonly Queued[]): void {
    const secrets = this.#knownSecrets();
    const store = this.#opened();
    const start = this.#options.start();
    let [last, bytes] = [this.#lastSeq, this.#bytes];
    store.client.transaction(() => {
      for (const { world, ...item } of items) {
        if ('attempt' in item) {
          insertAttempt(store, { attempt: item.attempt, world: world.name, after: last });
          continue;
        }
        const row = redactEntry(item.entry, secrets, this.#options.isCredentialSecret);
        last += 1;
        bytes += row.size;
        insertEntry(store, { ...row, world: world.name, seq: last, start });
      }
      bytes -= this.#prune(store, last, bytes);
    })();
    this.#lastSeq = last;
    this.#bytes = bytes;
  }

  /** Deletes the oldest entries beyond the limits. @returns the size of their bodies */
  #prune(store: Store, last: number, bytes: number): number {
    if (last <= this.#maxEntries && bytes <= MAX_BYTES) return 0;
    const oldest = () => Number(oldestEntry(store).get() ?? last);
    let deleted = this.#delete(store, last - this.#maxEntries);
    while (bytes - deleted > MAX_BYTES) {
      deleted += this.#delete(store, oldest() + DELETED_AT_ONCE - 1);
    }
    deleteAttempts(store).run(oldest() - 1);
    return deleted;
  }

  /** Deletes the entries up to a number. @returns the size of their bodies */
  #delete(store: Store, seq: number): number {
    const rows = deleteUpTo(store).all(seq) as Pick<RequestRow, 'world' | 'size' | 'run'>[];
    for (const [world, ofWorld] of Map.groupBy(rows, (row) => row.world)) {
      const run = ofWorld.reduce((max, row) => Math.max(max, row.run ?? -1), -1);
      addDropped(store).run({ world, count: ofWorld.length, run });
    }
    return rows.reduce((sum, { size }) => sum + size, 0);
  }

  #knownSecrets(): KnownTexts {
    const secrets = this.secrets();
    const list = secrets.join('\n');
    if (this.#known?.list !== list) this.#known = { list, texts: new KnownTexts(secrets) };
    return this.#known.texts;
  }
}

function bytesIn({ client }: Store): number {
  return Number(client.prepare('SELECT total(size) FROM requests').pluck().get());
}
