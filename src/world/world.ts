import { conflict, notFound } from '../kernel/errors.ts';
import { base62From, type IdPrefix, IdSeries, randomSecret } from '../kernel/ids.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { setImmediate } from '../kernel/timers.ts';
import { closeStore, type Db, install, reopen, type Store, serializeStore } from '../store/open.ts';
import { prepared } from '../store/prepared.ts';
import { counters } from '../store/schema/world.ts';
import { finder } from '../store/table.ts';
import type { Change, Tx, TxWorld } from '../store/transaction.ts';
import { Clock } from './clock.ts';
import { type RandomKeys, requireIdentity } from './new-world.ts';
import {
  copyOfState,
  type RequestRun,
  type RunLog,
  type RunningRequest,
  rowsOfFreshWorld,
  type WorldBase,
} from './run.ts';

/** What a sandbox does with a world. */
interface WorldHooks {
  /** Called after a commit that may have made work due. */
  onWork(): void;
  /** Does what is due before a request runs. */
  beforeRun(): void;
  /** Remembers the last run and the base over a restart. Read before the first run. */
  runs: RunLog;
}

/** An isolated marketplace: a database, a clock and an id source. */
export class World {
  readonly name: string;
  readonly #runtime: Runtime;
  readonly #randomKeys: RandomKeys | undefined;
  #state: WorldState;
  /** The error that any use throws after the world was closed. */
  #closed: Error | undefined;
  #hooks: WorldHooks | undefined;
  #isWaking = false;
  #workVersion = 0;
  /** The number of the last run of a request; undefined before the first of this process. */
  #lastRun: number | undefined;
  /** Whether `RunLog` has the base. False after a restart, until the next run asks it. */
  #hasBase = false;
  /** Whether its inventory is still the one generated from its seed: the base need not contain it then. */
  #isSeeded = false;
  readonly #watchers = new Set<() => void>();

  constructor(
    name: string,
    store: Store,
    { runtime, randomKeys }: { runtime: Runtime; randomKeys?: RandomKeys | undefined },
  ) {
    this.name = name;
    this.#runtime = runtime;
    this.#randomKeys = randomKeys;
    this.#state = this.#stateOf(store);
  }

  /** Connects the world with its sandbox, before its first request. */
  attach(hooks: WorldHooks): void {
    this.#hooks = hooks;
  }

  /** Stays readable after `close`, as `identity` does: the response to the deletion of a world shows both. */
  get clock(): Clock {
    return this.#state.clock;
  }

  /** The row of table `world` as it was opened. Its clock columns are outdated: read `clock`. */
  get identity(): WorldState['identity'] {
    return this.#state.identity;
  }

  /** A different object after every reset and restore. */
  get stateVersion(): object {
    return this.#state;
  }

  get store(): Store {
    return this.#requireOpen().store;
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /**
   * Runs `fn` in a transaction, which is committed when this returns, or rolled back if it throws.
   * @param request the request that runs; without it, due work is not done before, and no replay repeats `fn`
   * @param now sandbox time, by default that of the clock: scheduled work happens when it is due
   */
  transaction<T>(fn: (tx: Tx) => T, request?: RunningRequest, now?: number): T {
    this.assertOpen();
    const run = this.recordRun(request);
    const tx = new WorldTx(this.#state, { realNow: run?.at ?? this.#runtime.now(), now });
    const result = tx.run(fn);
    request?.addChanges?.(tx.changes);
    if (tx.hasWork) this.#wakeLater();
    this.notifyWatchers();
    return result;
  }

  /** Rises with each commit that may have added work, and when the database is replaced. */
  get workVersion(): number {
    return this.#workVersion;
  }

  /** Work begins after the response, once for all requests of a tick. */
  #wakeLater(): void {
    this.#workVersion += 1;
    if (this.#isWaking) return;
    this.#isWaking = true;
    setImmediate(() => {
      this.#isWaking = false;
      if (!this.#closed) this.#hooks?.onWork();
    });
  }

  /** Reads outside a transaction, without doing due work first. `fn` must not write. */
  read<T>(fn: (tx: Tx) => T): T {
    return fn(new WorldTx(this.#requireOpen(), { realNow: this.#runtime.now() }));
  }

  /** Begins the run of a request: does the due work first, and keeps the state before the first run as the base. */
  recordRun(request: RunningRequest | undefined): RequestRun | undefined {
    if (!request) return undefined;
    this.#hooks?.beforeRun();
    const n = this.#nextRun;
    const log = this.#hooks?.runs;
    if (!this.#hasBase && !log?.base(this.name)) log?.setBase(this.name, this.#newBase());
    this.#hasBase = true;
    // The request may change the inventory.
    this.#isSeeded = false;
    this.#lastRun = n;
    const at = this.#runtime.now();
    const run: RequestRun = { n, at, now: this.clock.now(at) };
    request.runs.push(run);
    return run;
  }

  /** The state in which the first request ran since the world began; the present one if none has. */
  get base(): WorldBase {
    return this.#hooks?.runs.base(this.name) ?? this.#newBase();
  }

  /** Notes that its inventory is the one generated from its seed. */
  markSeeded(): void {
    this.#isSeeded = true;
  }

  get #nextRun(): number {
    return (this.#lastRun ?? this.#hooks?.runs.lastRun(this.name) ?? 0) + 1;
  }

  /** Makes the state at the next run the base. */
  forgetBase(): void {
    this.#hasBase = false;
    this.#hooks?.runs.setBase(this.name, undefined);
  }

  #newBase(): WorldBase {
    const state = this.#isSeeded ? rowsOfFreshWorld(this.store.client) : copyOfState(this.store);
    return { firstRun: this.#nextRun, state };
  }

  /** Calls `listener` after a commit, a change of the request log, and the deletion of the world. @returns what ends that */
  watch(listener: () => void): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  /** Returns the database as bytes, with its clock, whose stored values are older while it runs. */
  serialize(): Buffer {
    this.saveClock();
    return serializeStore(this.store);
  }

  /**
   * Replaces the database. If that fails, the world goes on with the file that is in place, nearly always the old one.
   * @param next a copy that `openCopy` has opened beside its file
   */
  replaceStore(next: Store): void {
    const { store } = this.#requireOpen();
    try {
      const placed = install(next, () => {
        // Also makes the request log write its queue, while the old database has the secrets to redact.
        this.forgetBase();
        closeStore(store);
      });
      this.#state = this.#stateOf(placed);
      this.#isSeeded = false;
    } catch (error) {
      // Complete in either case: `install` renames the next file to it in one step.
      if (!store.client.open && store.file !== undefined) {
        this.#state = this.#stateOf(reopen(store.file));
        this.clock.recover();
      }
      throw error;
    }
    this.#workVersion += 1;
    this.notifyWatchers();
  }

  /** Stores the clock, if the disk has space. */
  saveClock(): void {
    try {
      this.transaction(() => this.clock.save());
    } catch {
      // A full disk keeps no sandbox from closing, and no world from being exported.
    }
  }

  close({ isDeleted = false } = {}): void {
    if (!this.#closed) closeStore(this.#state.store);
    this.#closed = isDeleted
      ? notFound(`world: ${this.name} has been deleted`)
      : conflict('the sandbox is closing');
    if (isDeleted) this.notifyWatchers();
  }

  #stateOf(store: Store): WorldState {
    const row = requireIdentity(store);
    // Deferred: a request that only reads takes no write lock, and no other connection writes.
    const { deferred } = store.client.transaction((act: () => unknown) => act());
    return {
      store,
      clock: new Clock(store, this.#runtime, row),
      // The name of the file counts, not the row.
      identity: { ...row, name: this.name },
      ids: new IdSeries({ seed: row.seed, world: this.name, series: row.idSeries }),
      counters: new Map(),
      secretFrom: this.#randomKeys?.(row.seed) ? () => randomSecret() : base62From,
      atomically: <T>(act: () => T) => deferred(act) as T,
    };
  }

  /** A world may be deleted while a request for it is read. @throws not_found, conflict if the sandbox is closing */
  assertOpen(): void {
    if (this.#closed) throw this.#closed;
  }

  #requireOpen(): WorldState {
    this.assertOpen();
    return this.#state;
  }

  notifyWatchers(): void {
    for (const listener of this.#watchers) listener();
  }
}

/** An open database of a world, and what is read from it once. A reset replaces it. */
interface WorldState {
  store: Store;
  clock: Clock;
  identity: ReturnType<typeof requireIdentity>;
  ids: IdSeries;
  /** Values of counters that were read or written. A rollback clears them. */
  counters: Map<string, number>;
  /** Makes a base62 secret, from `material` or at random. */
  secretFrom(material: string): string;
  /** Runs a function in a transaction; within one, in a savepoint of it. */
  atomically<T>(act: () => T): T;
}

const findCounter = finder(counters, 'name');
const writeCounter = prepared(({ $client }) =>
  $client.prepare('REPLACE INTO counters (name, value) VALUES (?, ?)'),
);

/** A transaction of a world. */
class WorldTx implements Tx {
  readonly db: Db;
  readonly now: number;
  readonly realNow: number;
  readonly world: TxWorld;
  readonly changes: Change[] = [];
  /** Whether work may be due after the commit. */
  hasWork = false;
  readonly #state: WorldState;

  /** @param now sandbox time, by default that of the clock */
  constructor(state: WorldState, { realNow, now }: { realNow: number; now?: number | undefined }) {
    this.db = state.store.db;
    this.now = now ?? state.clock.now(realNow);
    this.realNow = realNow;
    this.world = state.identity;
    this.#state = state;
  }

  nextId(prefix: IdPrefix): string {
    return this.#state.ids.format(prefix, this.#countUp(prefix));
  }

  nextSecret(purpose: string): string {
    const n = this.#countUp(`secret:${purpose}`);
    // The name of the world makes the keys of a fork differ from those of its source.
    return this.#state.secretFrom([this.world.seed, this.world.name, purpose, n].join('\n'));
  }

  /** Adds one to a counter, which ids and keys are made of, and returns the new value; the first is 1. */
  #countUp(name: string): number {
    const { counters } = this.#state;
    const value = (counters.get(name) ?? findCounter(this, name)?.value ?? 0) + 1;
    writeCounter(this).run(name, value);
    counters.set(name, value);
    return value;
  }

  savepoint<T>(act: () => T): T {
    const { length } = this.changes;
    try {
      return this.#state.atomically(act);
    } catch (error) {
      this.#state.counters.clear();
      this.changes.length = length;
      throw error;
    }
  }

  logChange(change: Change): void {
    this.changes.push(change);
  }

  wakeScheduler(): void {
    this.hasWork = true;
  }

  /** Runs the transaction. If `act` throws, it is rolled back. */
  run<T>(act: (tx: Tx) => T): T {
    const takeClockBack = this.#state.clock.mark();
    try {
      return this.#state.atomically(() => act(this));
    } catch (error) {
      this.#state.counters.clear();
      takeClockBack();
      throw error;
    }
  }
}
