import { conflict } from '../kernel/errors.ts';
import { base62From, randomSecret } from '../kernel/ids.ts';
import type { Runtime } from '../kernel/runtime.ts';
import {
  closeBeforeReplace,
  closeStore,
  openTrusted,
  type Store,
  serializeStore,
} from '../store/open.ts';
import type { Tx } from '../store/transaction.ts';
import type { Clock } from './clock.ts';
import type { Base, Run, RunLog, RunningRequest } from './run.ts';
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

/** A larger world is not copied when its first request runs. */
const MAX_BASE_BYTES = 64 * 1024 * 1024;

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
      this.#notifyWatchers();
    },
    onCommitFailed: () => {},
  };
  #onWork: () => void = () => {};
  #onEvent: () => void = () => {};
  #beforeRun: () => void = () => {};
  #isBusy: () => boolean = () => false;
  /** The number of the last run of a request; undefined before the first of this process. */
  #lastRun: number | undefined;
  #hasBase = false;
  #runLog: RunLog | undefined;
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
   * Runs `fn` in the transaction of this event-loop tick; what it wrote is undone if it throws. Settles after the commit.
   * @param request the request that runs
   */
  transaction<T>(fn: (tx: Tx) => T, request?: RunningRequest): Promise<T> {
    return this.transactionWithoutSavepoint((tx) => {
      const result = tx.savepoint(() => fn(tx));
      request?.addChanges?.(tx.changes);
      return result;
    }, request);
  }

  /**
   * As `transaction`, without a savepoint: a `fn` that may throw after it has written uses `tx.savepoint`, one that
   * throws before uses `tx.withoutSavepoint`.
   */
  async transactionWithoutSavepoint<T>(fn: (tx: Tx) => T, request?: RunningRequest): Promise<T> {
    const run = this.run(request);
    return this.#commit((open) => fn(this.#tx(open, run?.at)));
  }

  /** As `transaction`, at a sandbox time that has passed: scheduled work happens when it is due. */
  transactionAt<T>(now: number, fn: (tx: Tx) => T): Promise<T> {
    return this.#commit((open) => {
      const tx = this.#tx(open, undefined, now);
      return tx.savepoint(() => fn(tx));
    });
  }

  async #commit<T>(fn: (open: OpenDatabase) => T): Promise<T> {
    const open = this.#opened();
    const { commits } = open;
    commits.begin();
    const { committed } = commits;
    try {
      return fn(open);
    } finally {
      await committed;
    }
  }

  /** Notes that a request runs now, after the work that is due. Returns its run. */
  run(request: RunningRequest | undefined): Run | undefined {
    if (!request) return undefined;
    this.#beforeRun();
    const n = this.#nextRun;
    if (!this.#hasBase && !this.#runLog?.base) this.#runLog?.setBase(this.base);
    this.#hasBase = true;
    this.#lastRun = n;
    const at = this.#runtime.now();
    const run: Run = { n, at, now: this.clock.now(at) };
    request.runs.push(run);
    return run;
  }

  /** The state in which the first request ran since the world began; the present one if none has. */
  get base(): Base {
    return this.#runLog?.base ?? { n: this.#nextRun, bytes: this.#copyOfState() };
  }

  get #nextRun(): number {
    return (this.#lastRun ?? this.#runLog?.lastRun ?? 0) + 1;
  }

  /** Sets the log, from which runs go on. It is read before the first run. */
  logRuns(log: RunLog): void {
    this.#runLog = log;
  }

  /** Makes the state at the next run the base. */
  forgetBase(): void {
    this.#hasBase = false;
    this.#runLog?.setBase(undefined);
  }

  #copyOfState(): Buffer | null {
    this.flush();
    const { client } = this.store;
    const pages = Number(client.pragma('page_count', { simple: true }));
    const size = Number(client.pragma('page_size', { simple: true }));
    return pages * size > MAX_BASE_BYTES ? null : serializeStore(this.store);
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

  /** Sets the function that does what is due before a request runs. */
  beforeRun(work: () => void): void {
    this.#beforeRun = work;
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
    // Also writes the log, while the secrets of its entries are still known.
    this.forgetBase();
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

  #tx(open: OpenDatabase, realNow = this.#runtime.now(), now?: number): Tx {
    return new WorldTx(open, this.#state, { realNow, now }, this.#txHooks);
  }
}
