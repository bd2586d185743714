import { base62From, type IdPrefix, IdSeries } from '../kernel/ids.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { CommitGroup } from '../store/commit-group.ts';
import { Counters } from '../store/counters.ts';
import { closeForGood, closeStore, type Db, openOwnFileStore, type Store } from '../store/open.ts';
import { prepared } from '../store/prepared.ts';
import { world as worldTable } from '../store/schema/world.ts';
import type { Deed, LastWrite, Tx, TxWorld } from '../store/transaction.ts';
import { Clock } from './clock.ts';

const readIdentity = prepared((db) => db.select().from(worldTable).prepare());

/** Whether the database says which world it is. */
export function isFounded(store: Store): boolean {
  return readIdentity(store).get() !== undefined;
}

/** What hangs on one open database; a reset replaces it whole. */
interface Open {
  store: Store;
  counters: Counters;
  commits: CommitGroup;
  clock: Clock;
  identity: TxWorld & { inventory: number; createdAt: number; idSeries: number };
  ids: IdSeries;
}

/**
 * An isolated marketplace: one database, one clock, one id source. All reading and writing goes through
 * `enter` or `transact`; both answer after the commit of the turn they ran in.
 */
export class World {
  readonly name: string;
  readonly #runtime: Runtime;
  #open: Open;
  #onWork: () => void = () => {};
  /** Always the same function: a turn in which much work appeared tells of it once. */
  readonly #wake = () => this.#onWork();
  #onEvent: () => void = () => {};
  readonly #watchers = new Set<() => void>();

  constructor(name: string, store: Store, runtime: Runtime) {
    this.name = name;
    this.#runtime = runtime;
    this.#open = this.#openOn(store);
  }

  get clock(): Clock {
    return this.#open.clock;
  }

  get identity(): Open['identity'] {
    return this.#open.identity;
  }

  get store(): Store {
    return this.#open.store;
  }

  /**
   * Runs `act` in this turn's transaction, without a savepoint: an `act` that may throw after writing uses
   * `tx.atomically`, one that refuses first `tx.refusingFirst`. Resolves, or rejects with what `act` threw,
   * once the turn is durable.
   */
  async enter<T>(act: (tx: Tx) => T): Promise<T> {
    const { commits } = this.#open;
    commits.enter();
    const { committed } = commits;
    try {
      return act(this.#tx());
    } finally {
      await committed;
    }
  }

  /** As `enter`, and what `act` wrote is undone when it throws. */
  transact<T>(act: (tx: Tx) => T): Promise<T> {
    return this.enter((tx) => tx.atomically(() => act(tx)));
  }

  /** Reads at once, in the turn's transaction if one is open. `look` must not write. */
  peek<T>(look: (tx: Tx) => T): T {
    return look(this.#tx());
  }

  /** Resolves when all that was written so far is durable. */
  durable(): Promise<void> {
    return this.#open.commits.committed;
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
    this.#open.commits.flush();
  }

  /**
   * Goes on with another database; what was acknowledged before belongs to the old one.
   * @param stage makes it ready while the old one is still in use, so that nothing has changed when it
   * throws; what it returns opens it, once the old one is closed
   */
  replaceStore(stage: (old: Store) => () => Store): void {
    this.flush();
    const { store } = this.#open;
    const open = stage(store);
    closeForGood(store);
    try {
      this.#open = this.#openOn(open());
    } catch (error) {
      // The old file is still in its place, or the new one already: either is a whole world.
      if (store.file !== undefined) this.#open = this.#openOn(openOwnFileStore(store.file));
      throw error;
    }
    this.#tellWatchers();
  }

  close(): void {
    this.flush();
    closeStore(this.#open.store);
  }

  #tellWatchers(): void {
    for (const look of this.#watchers) look();
  }

  #openOn(store: Store): Open {
    const counters = new Counters(store);
    const clock = new Clock(store, this.#runtime);
    const commits = new CommitGroup(
      store,
      counters,
      () => clock.reload(),
      () => this.#tellWatchers(),
    );
    const row = readIdentity(store).get();
    if (!row) throw new Error(`the world ${this.name} has no identity row`);
    // The file's name is the truth.
    const identity = { ...row, name: this.name };
    const ids = new IdSeries({ seed: row.seed, world: this.name, series: row.idSeries });
    return { store, counters, commits, clock, identity, ids };
  }

  #tx(): Tx {
    return new WorldTx(this.#open, this.#runtime.now(), {
      onWork: this.#wake,
      onEvent: () => this.#onEvent(),
    });
  }
}

/** Who is told after a commit. */
interface Listeners {
  onWork(): void;
  onEvent(): void;
}

class WorldTx implements Tx {
  readonly db: Db;
  readonly now: number;
  readonly realNow: number;
  readonly world: TxWorld;
  readonly deeds: Deed[] = [];
  readonly #open: Open;
  readonly #listeners: Listeners;

  constructor(open: Open, realNow: number, listeners: Listeners) {
    this.db = open.store.db;
    this.now = open.clock.now(realNow);
    this.realNow = realNow;
    this.world = open.identity;
    this.#open = open;
    this.#listeners = listeners;
  }

  nextId(prefix: IdPrefix): string {
    return this.#open.ids.format(prefix, this.#open.counters.next(prefix));
  }

  nextSecret(purpose: string, length?: number): string {
    const n = this.#open.counters.next(`secret:${purpose}`);
    // The world's name is part of it: forks share a seed, but never a key.
    return base62From([this.world.seed, this.world.name, purpose, n].join('\n'), length);
  }

  atomically<T>(act: () => T): T {
    return this.#orForget(() => this.#open.commits.atomically(act));
  }

  refusingFirst<T>(act: () => T): T {
    return this.#orForget(() => this.#open.commits.refusingFirst(act));
  }

  #orForget<T>(act: () => T): T {
    const done = this.deeds.length;
    try {
      return act();
    } catch (error) {
      this.deeds.length = done;
      throw error;
    }
  }

  tell(deed: Deed): void {
    this.deeds.push(deed);
  }

  beforeCommit(task: LastWrite): void {
    this.#open.commits.beforeCommit(task);
  }

  afterCommit(task: () => void): void {
    this.#open.commits.afterCommit(task);
  }

  workAppeared(): void {
    this.#open.commits.onceAfterCommit(this.#listeners.onWork);
  }

  eventRecorded(): void {
    this.afterCommit(this.#listeners.onEvent);
  }
}
