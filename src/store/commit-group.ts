import type { Statement } from 'better-sqlite3';
import type { Counters } from './counters.ts';
import type { Store } from './open.ts';
import type { LastWrite } from './transaction.ts';

interface Open {
  committed: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
  readonly beforeCommit: Set<LastWrite>;
  afterCommit: (() => void)[];
}

/**
 * One SQLite transaction per turn of the event loop. Every request of a turn works in a savepoint of its
 * own and is answered after the common COMMIT, so a burst pays for one commit, and nothing is acknowledged
 * that a kill could lose.
 */
export class CommitGroup {
  readonly #store: Store;
  readonly #counters: Counters;
  readonly #sql: Record<'begin' | 'commit' | 'savepoint' | 'release' | 'undo', Statement>;
  readonly #onLost: () => void;
  readonly #onCommitted: () => void;
  #open: Open | undefined;
  #next: NodeJS.Immediate | undefined;

  /**
   * @param onLost called when a COMMIT failed: caches over the rows must be read again
   * @param onCommitted called after every COMMIT
   */
  constructor(store: Store, counters: Counters, onLost: () => void, onCommitted: () => void) {
    this.#store = store;
    this.#counters = counters;
    this.#onLost = onLost;
    this.#onCommitted = onCommitted;
    this.#sql = {
      begin: store.client.prepare('BEGIN IMMEDIATE'),
      commit: store.client.prepare('COMMIT'),
      savepoint: store.client.prepare('SAVEPOINT act'),
      release: store.client.prepare('RELEASE act'),
      undo: store.client.prepare('ROLLBACK TO act'),
    };
  }

  /** Resolves when what was written so far is durable; at once when nothing is open. */
  get committed(): Promise<void> {
    return this.#open?.committed ?? Promise.resolve();
  }

  /** Opens the turn's transaction if none is open. */
  enter(): void {
    if (this.#open) return;
    this.#sql.begin.run();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Who waits is told below; a group that nobody waits for must not end the process.
    promise.catch(() => {});
    this.#open = {
      committed: promise,
      resolve,
      reject,
      beforeCommit: new Set(),
      afterCommit: [],
    };
    this.#next = setImmediate(() => this.flush());
  }

  /** Runs `act` in a savepoint: kept whole or undone whole. Call after `enter`. */
  atomically<T>(act: () => T): T {
    const group = this.#require();
    this.#refuseLost();
    const counters = this.#counters.mark();
    const hooks = group.afterCommit.length;
    this.#sql.savepoint.run();
    try {
      const result = act();
      this.#sql.release.run();
      return result;
    } catch (error) {
      // A full disk may already have rolled back everything; then there is no savepoint to go back to.
      if (this.#store.client.inTransaction) {
        this.#sql.undo.run();
        this.#sql.release.run();
      }
      this.#counters.restore(counters);
      group.afterCommit.length = hooks;
      throw error;
    }
  }

  beforeCommit(task: LastWrite): void {
    this.#require().beforeCommit.add(task);
  }

  afterCommit(task: () => void): void {
    this.#require().afterCommit.push(task);
  }

  /** Runs `task` after the commit, once however often the turn asks for it. */
  onceAfterCommit(task: () => void): void {
    const { afterCommit } = this.#require();
    if (!afterCommit.includes(task)) afterCommit.push(task);
  }

  /** Commits now instead of at the end of the turn. */
  flush(): void {
    const group = this.#open;
    if (!group) return;
    this.#open = undefined;
    clearImmediate(this.#next);
    let settle: (() => void)[];
    try {
      this.#refuseLost();
      settle = Array.from(group.beforeCommit, (write) => write(this.#store));
      this.#counters.writeAll();
      this.#sql.commit.run();
    } catch (error) {
      if (this.#store.client.inTransaction) this.#store.client.exec('ROLLBACK');
      this.#counters.forget();
      this.#onLost();
      group.reject(error);
      return;
    }
    for (const task of settle) task();
    group.resolve();
    for (const task of group.afterCommit) task();
    this.#onCommitted();
  }

  /** A full disk may roll back everything at once: what is done afterwards must not be kept by itself. */
  #refuseLost(): void {
    if (!this.#store.client.inTransaction)
      throw new Error("this turn's transaction was rolled back");
  }

  #require(): Open {
    if (!this.#open) throw new Error('a transaction is used outside its turn');
    return this.#open;
  }
}
