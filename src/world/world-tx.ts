import type { IdPrefix, IdSeries } from '../kernel/ids.ts';
import type { CommitGroup } from '../store/commit-group.ts';
import type { Counters } from '../store/counters.ts';
import type { Db, Store } from '../store/open.ts';
import type { BeforeCommit, Change, Tx, TxWorld } from '../store/transaction.ts';
import type { Clock } from './clock.ts';

/** An open database of a world. */
export interface OpenDatabase {
  store: Store;
  counters: Counters;
  commits: CommitGroup;
}

/** What belongs to a database of a world, open or closed. A reset replaces it. */
export interface WorldIdentity {
  clock: Clock;
  identity: TxWorld & { inventory: number; createdAt: number; idSeries: number };
  ids: IdSeries;
}

/** Makes a base62 secret, from `material` or at random. */
export type SecretFrom = (material: string, length?: number) => string;

/** What a transaction gets from its world. */
export interface WorldHooks {
  secretFrom: SecretFrom;
  onWork(): void;
  onEvent(): void;
}

/** A transaction of a world. */
export class WorldTx implements Tx {
  readonly db: Db;
  readonly now: number;
  readonly realNow: number;
  readonly world: TxWorld;
  readonly changes: Change[] = [];
  readonly #counters: Counters;
  readonly #commits: CommitGroup;
  readonly #ids: IdSeries;
  readonly #hooks: WorldHooks;

  constructor(
    { store, counters, commits }: OpenDatabase,
    { clock, identity, ids }: WorldIdentity,
    realNow: number,
    hooks: WorldHooks,
  ) {
    this.db = store.db;
    this.now = clock.now(realNow);
    this.realNow = realNow;
    this.world = identity;
    this.#ids = ids;
    this.#counters = counters;
    this.#commits = commits;
    this.#hooks = hooks;
  }

  nextId(prefix: IdPrefix): string {
    return this.#ids.format(prefix, this.#counters.next(prefix));
  }

  nextSecret(purpose: string, length?: number): string {
    const n = this.#counters.next(`secret:${purpose}`);
    // The name of the world makes the keys of a fork differ from those of its source.
    return this.#hooks.secretFrom(
      [this.world.seed, this.world.name, purpose, n].join('\n'),
      length,
    );
  }

  savepoint<T>(act: () => T): T {
    return this.#orDropChanges(() => this.#commits.savepoint(act));
  }

  withoutSavepoint<T>(act: () => T): T {
    return this.#orDropChanges(() => this.#commits.withoutSavepoint(act));
  }

  #orDropChanges<T>(act: () => T): T {
    const before = this.changes.length;
    try {
      return act();
    } catch (error) {
      this.changes.length = before;
      throw error;
    }
  }

  logChange(change: Change): void {
    this.changes.push(change);
  }

  beforeCommit(task: BeforeCommit): void {
    this.#commits.beforeCommit(task);
  }

  afterCommit(task: () => void): void {
    this.#commits.afterCommit(task);
  }

  wakeScheduler(): void {
    this.#commits.onceAfterCommit(this.#hooks.onWork);
  }

  eventRecorded(): void {
    this.afterCommit(this.#hooks.onEvent);
  }
}
