import fs from 'node:fs';
import { CodedError } from '../kernel/errors.ts';
import { base62From, IdSeries, randomSecret } from '../kernel/ids.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { CommitGroup } from '../store/commit-group.ts';
import { Counters } from '../store/counters.ts';
import {
  type Client,
  closeForGood,
  closeStore,
  openOwnFileStore,
  openReader,
  type Store,
} from '../store/open.ts';
import { type HasDb, prepared } from '../store/prepared.ts';
import { world as worldTable } from '../store/schema/world.ts';
import type { Tx } from '../store/transaction.ts';
import { isLarge } from './background.ts';
import { Clock } from './clock.ts';
import { type Input, type InputHook, NO_HOOK, SETUP, type Step } from './inputs.ts';
import { type OpenDatabase, type SecretFrom, type WorldIdentity, WorldTx } from './world-tx.ts';
import type { NewStore } from './write-world.ts';

const readIdentity = prepared((db) => db.select().from(worldTable).prepare());

/** Whether the database has its world row. */
export function hasWorldRow(store: Store): boolean {
  return readIdentity(store).get() !== undefined;
}

/** What belongs to a database, whether it is open or not. A reset replaces it. */
interface Lasting extends WorldIdentity {
  file: string | undefined;
  /** Identifies the file. */
  inode: number | undefined;
  /** The database of the clock. */
  clockDb: HasDb;
}

/** How often the file of a world that is written to is checked to be in place. */
const CHECK_EVERY_MS = 100;

/** Counts the uses of all worlds, to order the worlds by their last use. */
let uses = 0;

/**
 * An isolated marketplace: a database, a clock and an id source. Transactions resolve after the group commit of their
 * event-loop tick. The file is closed while the world is not in use, and opened again when it is used.
 */
export class World {
  readonly name: string;
  readonly #runtime: Runtime;
  readonly #onOpened: (world: World) => void;
  readonly #secretFrom: SecretFrom;
  readonly #completeStore: (store: Store) => void;
  #lasting: Lasting;
  #open: OpenDatabase | undefined;
  /** Calls of `read` and `whileOpen` that need the connection. */
  #holders = 0;
  #lastUse = 0;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #closed = false;
  #onWork: () => void = () => {};
  /** One function, so that it is called once per event-loop tick. */
  readonly #wake = () => this.#onWork();
  #onEvent: () => void = () => {};
  #inputs: InputHook = NO_HOOK;
  #isBusy: () => boolean = () => false;
  readonly #watchers = new Set<() => void>();
  readonly #readers = new Set<Client>();

  /**
   * @param onOpened called after the file of the world was opened
   * @param completeStore called with each new database of the world: completes what a kill or a copy has interrupted
   * @param randomKeys mints keys from the system's random source instead of the seed
   */
  constructor(
    name: string,
    store: Store,
    runtime: Runtime,
    {
      onOpened = () => {},
      completeStore = () => {},
      randomKeys = false,
    }: {
      onOpened?: (world: World) => void;
      completeStore?: (store: Store) => void;
      randomKeys?: boolean | undefined;
    } = {},
  ) {
    this.name = name;
    this.#runtime = runtime;
    this.#secretFrom = randomKeys ? (_material, length) => randomSecret(length) : base62From;
    this.#onOpened = onOpened;
    this.#completeStore = completeStore;
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

  /** A different object after every reset and restore. */
  get generation(): object {
    return this.#lasting;
  }

  /** For immediate use: it may be closed later. */
  get store(): Store {
    return this.#opened().store;
  }

  /** Sets who is called with every input. */
  followInputs(hook: InputHook): void {
    this.#inputs = hook;
  }

  get inputs(): InputHook {
    return this.#inputs;
  }

  /**
   * Marks that a request uses the world, for the first time or again. Call it before reading what an earlier `await`
   * may have changed. If it returns a promise, wait for it.
   */
  enter(input: Input): Promise<unknown> | undefined {
    return typeof input === 'object' ? this.#inputs.enter(input) : undefined;
  }

  /** Marks a step of background work. If it returns a promise, wait for it. */
  step(step: Step): Promise<string | undefined> | undefined {
    return this.#inputs.step(step);
  }

  /** Whether a transaction is open, or background work is running. */
  get isBusy(): boolean {
    return this.#open?.commits.isOpen === true || this.#isBusy();
  }

  /** Sets what tells whether background work is running. */
  busyWhile(isBusy: () => boolean): void {
    this.#isBusy = isBusy;
  }

  /**
   * Runs `act` in the transaction of this event-loop tick, without a savepoint: an `act` that may throw after it has
   * written uses `tx.savepoint`, one that throws before uses `tx.optimistic`. Settles after the commit.
   * @param input what the transaction belongs to
   */
  async optimisticTransaction<T>(input: Input, act: (tx: Tx) => T): Promise<T> {
    if (typeof input === 'object') {
      const turn = this.#inputs.enter(input);
      if (turn) await turn;
    } else if (input === SETUP) this.#inputs.setUp();
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

  /** As `optimisticTransaction`; if `act` throws, what it wrote is undone. */
  transaction<T>(input: Input, act: (tx: Tx) => T): Promise<T> {
    return this.optimisticTransaction(input, (tx) => tx.savepoint(() => act(tx)));
  }

  /** Reads immediately, in the open transaction if there is one. `act` must not write. */
  read<T>(act: (tx: Tx) => T): T {
    const open = this.#opened();
    this.#holders += 1;
    try {
      return act(this.#tx(open));
    } finally {
      this.#holders -= 1;
    }
  }

  /** Resolves when everything written so far is committed. */
  committed(): Promise<void> {
    return this.#open?.commits.committed ?? Promise.resolve();
  }

  /** Keeps the database open while `act` runs, unless it is replaced. */
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

  /** A reader keeps the write-ahead log from being moved into the file. */
  #closeReaders(): void {
    for (const client of this.#readers) client.close();
    this.#readers.clear();
  }

  /** Whether the database is too large to be copied on the event loop. */
  get isLarge(): boolean {
    const { file } = this;
    return file !== undefined && isLarge(fs.statSync(file).size);
  }

  /** Lets `copy` copy the file, which stays open, with everything that was acknowledged. */
  copyTo(copy: (file: string) => Promise<void>): Promise<void> {
    this.flush();
    return this.whileOpen(() => copy(this.store.file ?? ''));
  }

  /** Increases with every use of the database. */
  get lastUse(): number {
    return this.#lastUse;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Closes the file until the next use, unless it is in use. @returns whether it is closed */
  rest(): boolean {
    const open = this.#open;
    if (!open) return true;
    if (this.file === undefined || this.#holders > 0 || open.commits.isOpen) return false;
    this.#open = undefined;
    closeStore(open.store);
    return true;
  }

  /** @throws internal_error if the file was deleted, moved or replaced: writes would be lost */
  assertFileInPlace(): void {
    const { file, inode } = this.#lasting;
    if (file === undefined || inodeOf(file) === inode) return;
    throw new CodedError(
      'internal_error',
      `${file} was deleted, moved or replaced while the sandbox used it, so nothing more can be stored; start the sandbox again`,
    );
  }

  /** Sets the listener that is called after a commit that may have made work due. */
  onWork(listener: () => void): void {
    this.#onWork = listener;
  }

  /** Sets the listener that is called after the commit of each event. */
  onEvent(listener: () => void): void {
    this.#onEvent = listener;
  }

  /** Calls `listener` after every commit until the returned function is called. */
  watch(listener: () => void): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  /** Commits the open transaction now. */
  flush(): void {
    this.#open?.commits.flush();
  }

  /**
   * Replaces the database. Writes that were acknowledged before belong to the old one.
   * @param write writes the new database while the old one is in use; if it throws, nothing has changed
   */
  replaceStore(write: (old: Store) => NewStore): void {
    this.flush();
    const { store } = this.#opened();
    const next = write(store);
    this.#closeReaders();
    try {
      closeForGood(store);
    } catch (error) {
      next.discard();
      throw error;
    }
    try {
      this.#replace(next.open());
    } catch (error) {
      // Either the old or the new file is in place, and both are complete.
      if (store.file !== undefined) this.#replace(openOwnFileStore(store.file));
      throw error;
    }
    this.#notifyWatchers();
  }

  close(): void {
    this.flush();
    this.#closed = true;
    this.#closeReaders();
    if (this.#open) closeStore(this.#open.store);
    this.#open = undefined;
  }

  #notifyWatchers(): void {
    for (const listener of this.#watchers) listener();
  }

  #opened(): OpenDatabase {
    this.#lastUse = ++uses;
    return this.#open ?? this.#reopen();
  }

  #reopen(): OpenDatabase {
    const { file } = this.#lasting;
    if (this.#closed || file === undefined) throw new Error(`the world ${this.name} is closed`);
    this.assertFileInPlace();
    const store = openOwnFileStore(file);
    this.#lasting.clockDb.db = store.db;
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
    this.#completeStore(store);
    const row = readIdentity(store).get();
    if (!row) throw new Error(`the world ${this.name} has no identity row`);
    // The name of the file counts, not the row.
    const identity = { ...row, name: this.name };
    const clockDb = { db: store.db };
    return {
      file: store.file,
      inode: store.file === undefined ? undefined : inodeOf(store.file),
      clock: new Clock(clockDb, this.#runtime),
      clockDb,
      identity,
      ids: new IdSeries({ seed: row.seed, world: this.name, series: row.idSeries }),
    };
  }

  #connect(store: Store, { clock }: Lasting): OpenDatabase {
    const counters = new Counters(store);
    const commits = new CommitGroup(store, counters, {
      beforeCommit: () => this.#assertLately(),
      onCommitFailed: () => {
        clock.reload();
        this.#inputs.commitFailed();
      },
      onCommitted: () => {
        this.#inputs.committed();
        this.#notifyWatchers();
      },
    });
    return { store, counters, commits };
  }

  /** As `assertFileInPlace`, at most once per `CHECK_EVERY_MS`. */
  #assertLately(): void {
    const now = this.#runtime.monotonic();
    if (now - this.#checkedAt < CHECK_EVERY_MS) return;
    this.assertFileInPlace();
    this.#checkedAt = now;
  }

  #tx(open: OpenDatabase): Tx {
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
