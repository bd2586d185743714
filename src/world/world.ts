import { conflict } from '../kernel/errors.ts';
import { base62From, randomSecret } from '../kernel/ids.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { setImmediate } from '../kernel/timers.ts';
import {
  closeBeforeReplace,
  closeStore,
  openTrusted,
  type Store,
  serializeStore,
} from '../store/open.ts';
import type { Tx } from '../store/transaction.ts';
import { type Base, copyOfState, rowsOfFresh } from './base.ts';
import type { Clock } from './clock.ts';
import type { Run, RunLog, RunningRequest } from './run.ts';
import { readWorldState, type SecretFrom, type WorldState, WorldTx } from './world-tx.ts';
import type { NewStore } from './write-world.ts';

/** An isolated marketplace: a database, a clock and an id source. */
export class World {
  readonly name: string;
  readonly #runtime: Runtime;
  readonly #secretFrom: SecretFrom;
  #state: WorldState;
  /** The error that any use throws after the world was closed. */
  #closed: Error | undefined;
  #onWork: () => void = () => {};
  #onEvent: () => void = () => {};
  #beforeRun: () => void = () => {};
  #isWaking = false;
  /** The number of the last run of a request; undefined before the first of this process. */
  #lastRun: number | undefined;
  #hasBase = false;
  /** Whether its inventory is still the generated one. */
  #isFresh: boolean;
  #runLog: RunLog | undefined;
  readonly #watchers = new Set<() => void>();

  /**
   * @param options.randomKeys mints keys from the system's random source instead of the seed
   * @param options.isFresh whether its inventory is the one generated from its seed
   */
  constructor(
    name: string,
    store: Store,
    runtime: Runtime,
    { randomKeys = false, isFresh = false }: { randomKeys?: boolean; isFresh?: boolean } = {},
  ) {
    this.name = name;
    this.#isFresh = isFresh;
    this.#runtime = runtime;
    this.#secretFrom = randomKeys ? (_material, length) => randomSecret(length) : base62From;
    this.#state = readWorldState(store, name, runtime);
  }

  get clock(): Clock {
    return this.#state.clock;
  }

  get identity(): WorldState['identity'] {
    return this.#state.identity;
  }

  /** A different object after every reset and restore. */
  get stateVersion(): object {
    return this.#state;
  }

  get store(): Store {
    return this.#opened().store;
  }

  /** Undefined in memory. */
  get file(): string | undefined {
    return this.#state.store.file;
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /**
   * Runs `fn` in a transaction, which is committed when this returns, or rolled back if it throws.
   * @param request the request that runs
   */
  transaction<T>(fn: (tx: Tx) => T, request?: RunningRequest): T {
    const state = this.#opened();
    const run = this.run(request);
    return this.#commit(fn, state, { realNow: run?.at ?? this.#runtime.now() }, request);
  }

  /** As `transaction`, at a sandbox time that has passed: scheduled work happens when it is due. */
  transactionAt<T>(now: number, fn: (tx: Tx) => T): T {
    return this.#commit(fn, this.#opened(), { realNow: this.#runtime.now(), now });
  }

  #commit<T>(
    fn: (tx: Tx) => T,
    state: WorldState,
    at: { realNow: number; now?: number },
    request?: RunningRequest,
  ): T {
    const tx = new WorldTx(state, at, this.#secretFrom);
    const result = tx.run(fn);
    request?.addChanges?.(tx.changes);
    for (const { what } of tx.changes) if (what === 'event') this.#onEvent();
    if (tx.hasWork) this.#wakeLater();
    this.#notifyWatchers();
    return result;
  }

  /** Work begins after the response, once for all requests of a tick. */
  #wakeLater(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    setImmediate(() => {
      this.#isWaking = false;
      if (!this.#closed) this.#onWork();
    });
  }

  /** Reads immediately. `fn` must not write. */
  read<T>(fn: (tx: Tx) => T): T {
    return fn(new WorldTx(this.#opened(), { realNow: this.#runtime.now() }, this.#secretFrom));
  }

  /** Notes that a request runs now, after the work that is due. Returns its run. */
  run(request: RunningRequest | undefined): Run | undefined {
    if (!request) return undefined;
    this.#beforeRun();
    const n = this.#nextRun;
    if (!this.#hasBase && !this.#runLog?.base) this.#runLog?.setBase(this.#newBase());
    this.#hasBase = true;
    this.#isFresh = false;
    this.#lastRun = n;
    const at = this.#runtime.now();
    const run: Run = { n, at, now: this.clock.now(at) };
    request.runs.push(run);
    return run;
  }

  /** The state in which the first request ran since the world began; the present one if none has. */
  get base(): Base {
    return this.#runLog?.base ?? this.#newBase();
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

  #newBase(): Base {
    const state = this.#isFresh ? rowsOfFresh(this.store.client) : copyOfState(this.store);
    return { n: this.#nextRun, state };
  }

  /** Sets the listener that is called after a commit that may have made work due. */
  onWork(listener: () => void): void {
    this.#onWork = listener;
  }

  /** Sets the listener that is called after the commit of each event. */
  onEvent(listener: () => void): void {
    this.#onEvent = listener;
  }

  /** Sets the function that does what is due before a request runs. */
  beforeRun(work: () => void): void {
    this.#beforeRun = work;
  }

  /** Calls `listener` after every commit until the returned function is called. */
  watch(listener: () => void): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  /** Returns the database as bytes. */
  serialize(): Buffer {
    return serializeStore(this.store);
  }

  /**
   * Replaces the database.
   * @param write writes the new database while the old one is in use; if it throws, nothing has changed
   */
  replaceStore(write: (old: Store) => NewStore): void {
    const { store } = this.#opened();
    // Also writes the log, while the secrets of its entries are still known.
    this.forgetBase();
    const next = write(store);
    closeBeforeReplace(store);
    try {
      this.#state = readWorldState(next.open(), this.name, this.#runtime);
      this.#isFresh = next.isFresh ?? false;
    } catch (error) {
      // Either the old or the new file is in place, and both are complete.
      if (store.file !== undefined) {
        this.#state = readWorldState(openTrusted(store.file), this.name, this.#runtime);
      }
      throw error;
    }
    this.#notifyWatchers();
  }

  /** @param deleted the error that later uses throw, if the world is deleted */
  close(deleted?: Error): void {
    if (!this.#closed) closeStore(this.#state.store);
    this.#closed = deleted ?? conflict('the sandbox is closing');
    if (deleted) this.#notifyWatchers();
  }

  #opened(): WorldState {
    if (this.#closed) throw this.#closed;
    return this.#state;
  }

  #notifyWatchers(): void {
    for (const listener of this.#watchers) listener();
  }
}
