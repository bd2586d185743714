import fs from 'node:fs';
import { CodedError } from '../kernel/errors.ts';
import { base62From, type IdPrefix, IdSeries } from '../kernel/ids.ts';
import { randomSecret } from '../kernel/random-secret.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { CommitGroup } from '../store/commit-group.ts';
import { Counters } from '../store/counters.ts';
import { removeDatabaseFile, temporaryFile } from '../store/database-file.ts';
import {
  type Client,
  closeForGood,
  closeStore,
  type Db,
  openOwnFileStore,
  openReader,
  type Store,
} from '../store/open.ts';
import { type HasDb, prepared } from '../store/prepared.ts';
import { world as worldTable } from '../store/schema/world.ts';
import type { BeforeCommit, Change, Tx, TxWorld } from '../store/transaction.ts';
import { Clock } from './clock.ts';

const readIdentity = prepared((db) => db.select().from(worldTable).prepare());

/** Whether the database says which world it is. */
export function hasWorldRow(store: Store): boolean {
  return readIdentity(store).get() !== undefined;
}

/** What belongs to one database, whether it is open or not; a reset replaces it whole. */
interface Lasting {
  file: string | undefined;
  /** By which the file is known again. */
  inode: number | undefined;
  clock: Clock;
  /** The database that the clock works on. */
  clockOn: HasDb;
  identity: TxWorld & { inventory: number; createdAt: number; idSeries: number };
  ids: IdSeries;
}

/** An open database. */
interface Open {
  store: Store;
  counters: Counters;
  commits: CommitGroup;
}

/** How often it is checked that the file of a world that is written to is still in its place. */
const CHECK_EVERY_MS = 100;

/** Counts the uses of all worlds, so that they can be put in the order of their last one. */
let uses = 0;

/**
 * An isolated marketplace: one database, one clock, one id source. All reading and writing goes through
 * `optimisticTransaction` or `transaction`; both answer after the commit of the turn they ran in. The file is closed while the world is
 * not in use, and opened again by whatever uses it.
 */
export class World {
  readonly name: string;
  readonly #runtime: Runtime;
  readonly #onOpened: (world: World) => void;
  readonly #secretFrom: SecretFrom;
  #lasting: Lasting;
  #open: Open | undefined;
  /** How many calls of `read` and `whileOpen` need the connection as it is. */
  #holders = 0;
  #lastUse = 0;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #closed = false;
  #onWork: () => void = () => {};
  /** Always the same function: a turn in which much work appeared tells of it once. */
  readonly #wake = () => this.#onWork();
  #onEvent: () => void = () => {};
  readonly #watchers = new Set<() => void>();
  readonly #readers = new Set<Client>();

  /**
   * @param onOpened called whenever the file of the world has been opened
   * @param randomKeys whether keys are minted from the system's random source instead of the seed
   */
  constructor(
    name: string,
    store: Store,
    runtime: Runtime,
    {
      onOpened = () => {},
      randomKeys = false,
    }: { onOpened?: (world: World) => void; randomKeys?: boolean | undefined } = {},
  ) {
    this.name = name;
    this.#runtime = runtime;
    this.#secretFrom = randomKeys ? (_material, length) => randomSecret(length) : base62From;
    this.#onOpened = onOpened;
    this.#lasting = this.#begin(store);
    this.#open = this.#connect(store, this.#lasting);
    onOpened(this);
  }

  get clock(): Clock {
    return this.#lasting.clock;
  }

  get identity(): Lasting['identity'] {
    return this.#lasting.identity;
  }

  /** Undefined in memory. */
  get file(): string | undefined {
    return this.#lasting.file;
  }

  /** Another object after every reset and restore. */
  get generation(): object {
    return this.#lasting;
  }

  /** For use at once: it may be closed later. */
  get store(): Store {
    return this.#opened().store;
  }

  /**
   * Runs `act` in this turn's transaction, without a savepoint: an `act` that may throw after writing uses
   * `tx.savepoint`, one that refuses first `tx.optimistic`. Resolves, or rejects with what `act` threw,
   * once the turn is committed.
   */
  async optimisticTransaction<T>(act: (tx: Tx) => T): Promise<T> {
    const open = this.#opened();
    const { commits } = open;
    commits.begin();
    const { committed } = commits;
    try {
      return act(this.#tx(open));
    } finally {
      await committed;
    }
  }

  /** As `enter`, and what `act` wrote is undone when it throws. */
  transaction<T>(act: (tx: Tx) => T): Promise<T> {
    return this.optimisticTransaction((tx) => tx.savepoint(() => act(tx)));
  }

  /** Reads at once, in the turn's transaction if one is open. `look` must not write. */
  read<T>(look: (tx: Tx) => T): T {
    const open = this.#opened();
    this.#holders += 1;
    try {
      return look(this.#tx(open));
    } finally {
      this.#holders -= 1;
    }
  }

  /** Resolves when all that was written so far is committed. */
  committed(): Promise<void> {
    return this.#open?.commits.committed ?? Promise.resolve();
  }

  /** Keeps the same connection to the database while `act` runs, unless the world is replaced meanwhile. */
  async whileOpen<T>(act: () => Promise<T>): Promise<T> {
    this.#opened();
    this.#holders += 1;
    try {
      return await act();
    } finally {
      this.#holders -= 1;
    }
  }

  /**
   * Calls `read` with a second connection to the file, which keeps seeing the world as it is now. The connection is
   * closed early if the world is replaced or closed.
   */
  async withReader<T>(file: string, read: (client: Client) => Promise<T>): Promise<T> {
    this.assertFileInPlace();
    this.flush();
    return this.whileOpen(async () => {
      const client = openReader(file);
      this.#readers.add(client);
      try {
        return await read(client);
      } finally {
        this.#readers.delete(client);
        client.close();
      }
    });
  }

  /** A reader keeps the write-ahead log from being moved into the file, without which the file is not whole. */
  #closeReaders(): void {
    for (const client of this.#readers) client.close();
    this.#readers.clear();
  }

  /** Grows with every use of the database. */
  get lastUse(): number {
    return this.#lastUse;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Closes the file until the world is next used, unless it is in use. @returns whether it is closed now */
  rest(): boolean {
    const open = this.#open;
    if (!open) return true;
    if (this.file === undefined || this.#holders > 0 || open.commits.isOpen) return false;
    this.#open = undefined;
    closeStore(open.store);
    return true;
  }

  /** @throws internal_error when the file was deleted, moved or replaced: what is written there is lost */
  assertFileInPlace(): void {
    const { file, inode } = this.#lasting;
    if (file === undefined || inodeOf(file) === inode) return;
    throw new CodedError(
      'internal_error',
      `${file} was deleted, moved or replaced while the sandbox used it, so nothing more can be stored; start the sandbox again`,
    );
  }

  /** Sets who is told, after the commit, that something may have fallen due. */
  onWork(listener: () => void): void {
    this.#onWork = listener;
  }

  /** Sets who is told, after the commit, of every event that was recorded. */
  onEvent(listener: () => void): void {
    this.#onEvent = listener;
  }

  /** Calls `look` after every commit until the returned function is called. */
  watch(look: () => void): () => void {
    this.#watchers.add(look);
    return () => this.#watchers.delete(look);
  }

  /** Commits what is open, now. */
  flush(): void {
    this.#open?.commits.flush();
  }

  /**
   * Goes on with another database; what was acknowledged before belongs to the old one.
   * @param stage makes it ready while the old one is still in use, so that nothing has changed when it
   * throws; what it returns opens it, once the old one is closed
   */
  replaceStore(stage: (old: Store) => () => Store): void {
    this.flush();
    const { store } = this.#opened();
    const open = stage(store);
    this.#closeReaders();
    try {
      closeForGood(store);
    } catch (error) {
      if (store.file !== undefined) removeDatabaseFile(temporaryFile(store.file));
      throw error;
    }
    try {
      this.#replace(open());
    } catch (error) {
      // The old file is still in its place, or the new one already: either is a whole world.
      if (store.file !== undefined) this.#replace(openOwnFileStore(store.file));
      throw error;
    }
    this.#tellWatchers();
  }

  close(): void {
    this.flush();
    this.#closed = true;
    this.#closeReaders();
    if (this.#open) closeStore(this.#open.store);
    this.#open = undefined;
  }

  #tellWatchers(): void {
    for (const look of this.#watchers) look();
  }

  #opened(): Open {
    this.#lastUse = ++uses;
    return this.#open ?? this.#reopen();
  }

  #reopen(): Open {
    const { file } = this.#lasting;
    if (this.#closed || file === undefined) throw new Error(`the world ${this.name} is closed`);
    this.assertFileInPlace();
    const store = openOwnFileStore(file);
    this.#lasting.clockOn.db = store.db;
    const open = this.#connect(store, this.#lasting);
    this.#open = open;
    this.#onOpened(this);
    return open;
  }

  #replace(store: Store): void {
    this.#lasting = this.#begin(store);
    this.#open = this.#connect(store, this.#lasting);
  }

  #begin(store: Store): Lasting {
    const row = readIdentity(store).get();
    if (!row) throw new Error(`the world ${this.name} has no identity row`);
    // The file's name is the truth.
    const identity = { ...row, name: this.name };
    const clockOn = { db: store.db };
    return {
      file: store.file,
      inode: store.file === undefined ? undefined : inodeOf(store.file),
      clock: new Clock(clockOn, this.#runtime),
      clockOn,
      identity,
      ids: new IdSeries({ seed: row.seed, world: this.name, series: row.idSeries }),
    };
  }

  #connect(store: Store, { clock }: Lasting): Open {
    const counters = new Counters(store);
    const commits = new CommitGroup(store, counters, {
      beforeCommit: () => this.#assertLately(),
      onCommitFailed: () => clock.reload(),
      onCommitted: () => this.#tellWatchers(),
    });
    return { store, counters, commits };
  }

  /** As `assertFileInPlace`, seldom enough to cost nothing. */
  #assertLately(): void {
    const now = this.#runtime.monotonic();
    if (now - this.#checkedAt < CHECK_EVERY_MS) return;
    this.assertFileInPlace();
    this.#checkedAt = now;
  }

  #tx(open: Open): Tx {
    return new WorldTx(open, this.#lasting, this.#runtime.now(), {
      onWork: this.#wake,
      onEvent: () => this.#onEvent(),
      secretFrom: this.#secretFrom,
    });
  }
}

function inodeOf(file: string): number | undefined {
  return fs.statSync(file, { throwIfNoEntry: false })?.ino;
}

/** Makes a secret of base62 characters; what it is made of need not decide it. */
type SecretFrom = (material: string, length?: number) => string;

/** What a transaction gets from its world: who is told after a commit, and where secrets come from. */
interface Listeners {
  secretFrom: SecretFrom;
  onWork(): void;
  onEvent(): void;
}

class WorldTx implements Tx {
  readonly db: Db;
  readonly now: number;
  readonly realNow: number;
  readonly world: TxWorld;
  readonly changes: Change[] = [];
  readonly #open: Open;
  readonly #ids: IdSeries;
  readonly #listeners: Listeners;

  constructor(
    open: Open,
    { clock, identity, ids }: Lasting,
    realNow: number,
    listeners: Listeners,
  ) {
    this.db = open.store.db;
    this.now = clock.now(realNow);
    this.realNow = realNow;
    this.world = identity;
    this.#ids = ids;
    this.#open = open;
    this.#listeners = listeners;
  }

  nextId(prefix: IdPrefix): string {
    return this.#ids.format(prefix, this.#open.counters.next(prefix));
  }

  nextSecret(purpose: string, length?: number): string {
    const n = this.#open.counters.next(`secret:${purpose}`);
    // The world's name is part of it: forks share a seed, but never a key.
    return this.#listeners.secretFrom(
      [this.world.seed, this.world.name, purpose, n].join('\n'),
      length,
    );
  }

  savepoint<T>(act: () => T): T {
    return this.#orForget(() => this.#open.commits.savepoint(act));
  }

  optimistic<T>(act: () => T): T {
    return this.#orForget(() => this.#open.commits.optimistic(act));
  }

  #orForget<T>(act: () => T): T {
    const done = this.changes.length;
    try {
      return act();
    } catch (error) {
      this.changes.length = done;
      throw error;
    }
  }

  logChange(change: Change): void {
    this.changes.push(change);
  }

  beforeCommit(task: BeforeCommit): void {
    this.#open.commits.beforeCommit(task);
  }

  afterCommit(task: () => void): void {
    this.#open.commits.afterCommit(task);
  }

  wakeScheduler(): void {
    this.#open.commits.onceAfterCommit(this.#listeners.onWork);
  }

  eventRecorded(): void {
    this.afterCommit(this.#listeners.onEvent);
  }
}
