import fs from 'node:fs';
import { conflict } from '../kernel/errors.ts';
import { base62From, randomSecret } from '../kernel/ids.ts';
import type { Runtime } from '../kernel/runtime.ts';
import {
  type Client,
  closeBeforeReplace,
  closeStore,
  openReader,
  openTrusted,
  type Store,
} from '../store/open.ts';
import type { Tx } from '../store/transaction.ts';
import { isLarge } from './background.ts';
import type { Clock } from './clock.ts';
import { type Input, type InputHook, NO_HOOK, SETUP, type Step } from './inputs.ts';
import { type CommitHooks, connect, readWorldState, type WorldState } from './world-state.ts';
import { type OpenDatabase, type WorldHooks, WorldTx } from './world-tx.ts';
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
  /** What using it throws, once it is closed. */
  #closed: Error | undefined;
  readonly #readers = new Set<Client>();
  /** One for all transactions: `onWork` is called once per event-loop tick, by its identity. */
  readonly #txHooks: WorldHooks;
  readonly #commitHooks: CommitHooks = {
    onCommitted: () => {
      this.#inputs.committed();
      this.#notifyWatchers();
    },
    onCommitFailed: () => this.#inputs.commitFailed(),
  };
  #onWork: () => void = () => {};
  #onEvent: () => void = () => {};
  #inputs: InputHook = NO_HOOK;
  #isBusy: () => boolean = () => false;
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
   * Runs `act` in the transaction of this event-loop tick, without a savepoint: an `act` that may throw after it has
   * written uses `tx.savepoint`, one that throws before uses `tx.withoutSavepoint`. Settles after the commit.
   * @param input what the transaction belongs to
   */
  async transactionWithoutSavepoint<T>(input: Input, act: (tx: Tx) => T): Promise<T> {
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

  /** As `transactionWithoutSavepoint`; if `act` throws, what it wrote is undone. */
  transaction<T>(input: Input, act: (tx: Tx) => T): Promise<T> {
    return this.transactionWithoutSavepoint(input, (tx) => tx.savepoint(() => act(tx)));
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
    return this.#inTransaction || this.#isBusy();
  }

  /** Sets what tells whether background work is running. */
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
    this.#closeReaders();
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

  /** @param deleted what using the world throws afterwards, if it is deleted */
  close(deleted?: Error): void {
    this.flush();
    this.#closed = deleted ?? conflict('the sandbox is closing');
    this.#closeReaders();
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
