import { type IdPrefix, IdSeries } from '../kernel/ids.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { countUp } from '../store/counters.ts';
import type { Db, Store } from '../store/open.ts';
import { prepared } from '../store/prepared.ts';
import { world as worldTable } from '../store/schema/world.ts';
import type { Change, Tx, TxWorld } from '../store/transaction.ts';
import { Clock, continueClock } from './clock.ts';

const readIdentity = prepared((db) => db.select().from(worldTable).prepare());

/** Whether the database has its world row. */
export function hasWorldRow(store: Store): boolean {
  return readIdentity(store).get() !== undefined;
}

/** An open database of a world, and what is read from it once. A reset replaces it. */
export interface WorldState {
  store: Store;
  clock: Clock;
  identity: TxWorld & { inventory: number; createdAt: number; idSeries: number };
  ids: IdSeries;
  /** Runs a function in a transaction, or in a transaction that is open, in a savepoint. */
  atomically<T>(act: () => T): T;
}

/** Reads the state of a database, and moves a clock that is behind. @param name of the world */
export function readWorldState(store: Store, name: string, runtime: Runtime): WorldState {
  continueClock(store, runtime.now());
  const row = readIdentity(store).get();
  if (!row) throw new Error(`the world ${name} has no identity row`);
  // Deferred: a request that only reads takes no write lock, and no other connection writes.
  const { deferred } = store.client.transaction((act: () => unknown) => act());
  return {
    store,
    clock: new Clock(store, runtime),
    // The name of the file counts, not the row.
    identity: { ...row, name },
    ids: new IdSeries({ seed: row.seed, world: name, series: row.idSeries }),
    atomically: <T>(act: () => T) => deferred(act) as T,
  };
}

/** Makes a base62 secret, from `material` or at random. */
export type SecretFrom = (material: string, length?: number) => string;

/** A transaction of a world. */
export class WorldTx implements Tx {
  readonly db: Db;
  readonly now: number;
  readonly realNow: number;
  readonly world: TxWorld;
  readonly changes: Change[] = [];
  /** Whether work may be due after the commit. */
  hasWork = false;
  readonly #state: WorldState;
  readonly #secretFrom: SecretFrom;

  /** @param at.now sandbox time, by default that of the clock */
  constructor(
    state: WorldState,
    { realNow, now }: { realNow: number; now?: number | undefined },
    secretFrom: SecretFrom,
  ) {
    this.db = state.store.db;
    this.now = now ?? state.clock.now(realNow);
    this.realNow = realNow;
    this.world = state.identity;
    this.#state = state;
    this.#secretFrom = secretFrom;
  }

  nextId(prefix: IdPrefix): string {
    return this.#state.ids.format(prefix, countUp(this, prefix));
  }

  nextSecret(purpose: string, length?: number): string {
    const n = countUp(this, `secret:${purpose}`);
    // The name of the world makes the keys of a fork differ from those of its source.
    return this.#secretFrom([this.world.seed, this.world.name, purpose, n].join('\n'), length);
  }

  savepoint<T>(act: () => T): T {
    const { length } = this.changes;
    try {
      return this.#state.atomically(act);
    } catch (error) {
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
      takeClockBack();
      throw error;
    }
  }
}
