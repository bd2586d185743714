import { conflict } from '../kernel/errors.ts';
import { base62From, IdSeries, randomSecret } from '../kernel/ids.ts';
import type { Runtime } from '../kernel/runtime.ts';
import {
  closeBeforeReplace,
  closeStore,
  openTrusted,
  type Store,
  serializeStore,
} from '../store/open.ts';
import { world as worldTable } from '../store/schema/world.ts';
import type { Tx } from '../store/transaction.ts';
import { type ActFollower, type Cause, ID_SERIES, NO_FOLLOWER, UNRECORDED } from './acts.ts';
import type { Clock } from './clock.ts';
import {
  type CommitHooks,
  connect,
  type OpenDatabase,
  readWorldState,
  type WorldHooks,
  type WorldState,
  WorldTx,
} from './world-state.ts';
import type { NewStore } from './write-world.ts';

/** Counts the uses of all worlds, to order the worlds by their last use. */
let uses = 0;

interface WorldOptions {
  /** Called after the file of the world was opened. */
  onOpened?: (world: World) => void;
  /** Mints keys from the system's random source instead of the seed. */
  randomKeys?: boolean | undefined;
}

/**
 * An isolated marketplace: a database, a clock and an id source. Its file is closed while it is not in use, and opened
 * again when it is used.
 */
export class World {
  readonly name: string;
  readonly #runtime: Runtime;
  readonly #onOpened: (world: World) => void;
  #state: WorldState;
  #open: OpenDatabase | undefined;
  /** Uses that need the connection. */
  #holders = 0;
  #lastUse = 0;
  /** The error that any use throws after the world was closed. */
  #closed: Error | undefined;
  /** One for all transactions: `onWork` is called once per event-loop tick, by its identity. */
  readonly #txHooks: WorldHooks;
  readonly #commitHooks: CommitHooks = {
    onCommitted: () => {
      this.#follower.committed();
      this.#notifyWatchers();
    },
    onCommitFailed: () => this.#follower.commitFailed(),
  };
  #onWork: () => void = () => {};
  #onEvent: () => void = () => {};
  #follower: ActFollower = NO_FOLLOWER;
  #isBusy: () => boolean = () => false;
  /** The number of the last run of a request; undefined before the first of this process. */
  #lastRun: number | undefined;
  #loggedRun: () => number = () => 0;
  readonly #watchers = new Set<() => void>();

  constructor(
    name: string,
    store: Store,
    runtime: Runtime,
    { onOpened = () => {}, randomKeys = false }: WorldOptions = {},
  ) {
    this.name = name;
    this.#runtime = runtime;
    this.#onOpened = onOpened;
    this.#txHooks = {
      onWork: () => this.#onWork(),
      onEvent: () => this.#onEvent(),
      secretFrom: randomKeys ? (_material, length) => randomSecret(length) : base62From,
    };
    this.#state = readWorldState(store, name, runtime);
    this.#open = connect(store, this.#state, this.#commitHooks);
    onOpened(this);
  }

  get clock(): Clock {
    return this.#state.clock;
  }

  get identity(): WorldState['identity'] {
    return this.#state.identity;
  }

  /** Undefined in memory. */
  get file(): string | undefined {
    return this.#state.file?.path;
  }

  /** A different object after every reset and restore. */
  get stateVersion(): object {
    return this.#state;
  }

  /** For immediate use: it may be closed later. */
  get store(): Store {
    return this.#opened().store;
  }

  /**
   * Changes the state of the world in one act: `fn` runs in the transaction of this event-loop tick, and what it wrote is
   * undone if it throws. Settles after the commit.
   */
  act<T>(cause: Cause, fn: (tx: Tx) => T): Promise<T> {
    return this.actWithoutSavepoint(cause, (tx) => {
      const result = tx.savepoint(() => fn(tx));
      if (typeof cause === 'object' && 'acts' in cause) cause.addChanges?.(tx.changes);
      return result;
    });
  }

  /**
   * As `act`, without a savepoint: a `fn` that may throw after it has written uses `tx.savepoint`, one that throws before
   * uses `tx.withoutSavepoint`.
   */
  async actWithoutSavepoint<T>(cause: Cause, fn: (tx: Tx) => T): Promise<T> {
    const turn = this.#follower.turn?.(cause);
    if (turn) await turn;
    this.#begin(cause);
    const open = this.#opened();
    const { commits } = open;
    commits.begin();
    const { committed } = commits;
    try {
      return fn(this.#tx(open));
    } finally {
      await committed;
    }
  }

  /** As `act`, outside a transaction: `fn` writes nothing, or replaces the database. */
  async actOutside<T>(cause: Cause, fn: () => T): Promise<T> {
    const turn = this.#follower.turn?.(cause);
    if (turn) await turn;
    this.#begin(cause);
    return fn();
  }

  #begin(cause: Cause): void {
    this.#follower.begin(cause);
    if (cause === UNRECORDED || !('runs' in cause)) return;
    this.#lastRun ??= this.#loggedRun();
    this.#lastRun += 1;
    const at = this.#runtime.now();
    cause.runs.push({ n: this.#lastRun, at, now: this.clock.now(at) });
  }

  /** Sets the function that returns the highest number of a run in the request log, read before the first run. */
  continueRuns(loggedRun: () => number): void {
    this.#loggedRun = loggedRun;
  }

  /** Writes without an act of its own: data that a replay does not repeat, or a part of the running act. */
  unrecorded<T>(fn: (tx: Tx) => T): Promise<T> {
    return this.act(UNRECORDED, fn);
  }

  /** Writes the initial contents of a world. */
  setUp<T>(fn: (tx: Tx) => T): Promise<T> {
    this.#follower.setUp();
    return this.unrecorded(fn);
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

  /** Sets the follower that is called with every act. */
  followActs(follower: ActFollower): void {
    this.#follower = follower;
  }

  get follower(): ActFollower {
    return this.#follower;
  }

  /**
   * Returns the counters that changed since the last call, by name. If `all`, or if the database was replaced, returns
   * all of them and the id series.
   */
  takeCounters(all: boolean): Record<string, number> | undefined {
    const { counters } = this.#opened();
    const isWhole = all || !counters.areNoted;
    const values = counters.takeChanged(isWhole);
    return isWhole ? { ...values, [ID_SERIES]: this.identity.idSeries } : values;
  }

  /** Returns the values of counters, and of the id series. */
  counters(names: readonly string[]): Record<string, number> {
    const { counters } = this.#opened();
    const { idSeries } = this.identity;
    const value = (name: string) => (name === ID_SERIES ? idSeries : counters.value(name));
    return Object.fromEntries(names.map((name) => [name, value(name)]));
  }

  /** Sets counters and the id series, as if other acts had preceded. */
  setCounters(values: Readonly<Record<string, number>>): void {
    const { counters, store } = this.#opened();
    for (const [name, value] of Object.entries(values)) {
      if (name !== ID_SERIES) counters.set(name, value);
      else if (value !== this.identity.idSeries) this.#setSeries(store, value);
    }
  }

  #setSeries(store: Store, idSeries: number): void {
    store.db.update(worldTable).set({ idSeries }).run();
    const { identity } = this.#state;
    this.#state.identity = { ...identity, idSeries };
    this.#state.ids = new IdSeries({ seed: identity.seed, world: this.name, series: idSeries });
  }

  /** Whether a transaction is open, or background work is running. */
  get isBusy(): boolean {
    return this.#inTransaction || this.#isBusy();
  }

  /** Sets the function that says whether background work is running. */
  busyWhile(isBusy: () => boolean): void {
    this.#isBusy = isBusy;
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

  /** Increases with every use of the database. */
  get lastUse(): number {
    return this.#lastUse;
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Closes the file until the next use, unless it is in use. @returns whether it is closed */
  closeIdle(): boolean {
    const open = this.#open;
    if (!open) return true;
    if (this.file === undefined || this.#holders > 0 || open.commits.isOpen) return false;
    this.#open = undefined;
    closeStore(open.store);
    return true;
  }

  /** @throws internal_error if the file was deleted, moved or replaced: writes would be lost */
  assertFileInPlace(): void {
    this.#state.file?.assertInPlace();
  }

  /** Returns the database as bytes, with everything that was acknowledged. */
  serialize(): Buffer {
    this.flush();
    return serializeStore(this.store);
  }

  /** Commits the open transaction now, and those that its commit begins. */
  flush(): void {
    while (this.#inTransaction) this.#open?.commits.flush();
  }

  /**
   * Replaces the database. Writes that were acknowledged before belong to the old one.
   * @param write writes the new database while the old one is in use; if it throws, nothing has changed
   */
  replaceStore(write: (old: Store) => NewStore): void {
    this.flush();
    const { store } = this.#opened();
    const next = write(store);
    try {
      closeBeforeReplace(store);
    } catch (error) {
      next.discard();
      throw error;
    }
    try {
      this.#replace(next.open());
    } catch (error) {
      // Either the old or the new file is in place, and both are complete.
      if (store.file !== undefined) this.#replace(openTrusted(store.file));
      throw error;
    }
    this.#notifyWatchers();
  }

  /** @param deleted the error that later uses throw, if the world is deleted */
  close(deleted?: Error): void {
    this.flush();
    this.#closed = deleted ?? conflict('the sandbox is closing');
    if (this.#open) closeStore(this.#open.store);
    this.#open = undefined;
    if (deleted) this.#notifyWatchers();
  }

  #opened(): OpenDatabase {
    this.#lastUse = ++uses;
    return this.#open ?? this.#reopen();
  }

  #reopen(): OpenDatabase {
    if (this.#closed) throw this.#closed;
    const { file } = this;
    if (file === undefined) throw new Error(`the world ${this.name} has no database`);
    this.assertFileInPlace();
    const store = openTrusted(file);
    this.#state.clockDb.db = store.db;
    const open = connect(store, this.#state, this.#commitHooks);
    this.#open = open;
    this.#onOpened(this);
    return open;
  }

  #replace(store: Store): void {
    this.#state = readWorldState(store, this.name, this.#runtime);
    this.#open = connect(store, this.#state, this.#commitHooks);
  }

  get #inTransaction(): boolean {
    return this.#open?.commits.isOpen === true;
  }

  #notifyWatchers(): void {
    for (const listener of this.#watchers) listener();
  }

  #tx(open: OpenDatabase): Tx {
    return new WorldTx(open, this.#state, this.#runtime.now(), this.#txHooks);
  }
}
