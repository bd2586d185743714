import { clearImmediate, setImmediate } from 'node:timers';
import type { Statement } from 'better-sqlite3';
import type { Counters } from './counters.ts';
import { explainDiskFull } from './disk-full.ts';
import { emptyLog, type Store } from './open.ts';
import type { BeforeCommit } from './transaction.ts';

interface Open {
  committed: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
  readonly beforeCommit: Set<BeforeCommit>;
  afterCommit: (() => void)[];
  /** Why nothing of this turn may be kept. */
  lost?: Error;
}

/**
 * One SQLite transaction per turn of the event loop. Every request of a turn is kept whole or undone whole,
 * and answered after the common COMMIT, so a burst pays for one commit, and nothing is acknowledged that a
 * kill could lose.
 */
export class CommitGroup {
  readonly #store: Store;
  readonly #counters: Counters;
  readonly #sql: Record<
    'begin' | 'commit' | 'savepoint' | 'release' | 'undo' | 'changes',
    Statement
  >;
  readonly #beforeCommit: () => void;
  readonly #onLost: () => void;
  readonly #onCommitted: () => void;
  #open: Open | undefined;
  #next: NodeJS.Immediate | undefined;
  /** Once an act has broken its promise to refuse first, none is believed. */
  #careful = false;

  /**
   * @param hooks.beforeCommit throws when nothing may be committed
   * @param hooks.onLost called when a COMMIT failed: caches over the rows must be read again
   * @param hooks.onCommitted called after every COMMIT
   */
  constructor(
    store: Store,
    counters: Counters,
    hooks: { beforeCommit?: () => void; onLost: () => void; onCommitted: () => void },
  ) {
    this.#store = store;
    this.#counters = counters;
    this.#beforeCommit = hooks.beforeCommit ?? (() => {});
    this.#onLost = hooks.onLost;
    this.#onCommitted = hooks.onCommitted;
    this.#sql = {
      begin: store.client.prepare('BEGIN IMMEDIATE'),
      commit: store.client.prepare('COMMIT'),
      savepoint: store.client.prepare('SAVEPOINT act'),
      release: store.client.prepare('RELEASE act'),
      undo: store.client.prepare('ROLLBACK TO act'),
      changes: store.client.prepare('SELECT total_changes()').pluck(),
    };
  }

  /** Resolves when what was written so far is committed; at once when nothing is open. */
  get committed(): Promise<void> {
    return this.#open?.committed ?? Promise.resolve();
  }

  /** Whether a transaction is open. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Opens the turn's transaction if none is open. */
  begin(): void {
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
  savepoint<T>(act: () => T): T {
    this.#assertNotLost();
    this.#sql.savepoint.run();
    return this.#orGiveBack(
      () => {
        const result = act();
        this.#sql.release.run();
        return result;
      },
      () => {
        // A full disk may already have rolled back everything; then there is no savepoint to go back to.
        if (!this.#store.client.inTransaction) return;
        this.#sql.undo.run();
        this.#sql.release.run();
      },
    );
  }

  /**
   * As `savepoint`, for an `act` that refuses, if at all, before it writes: then nothing is there to undo.
   * A savepoint copies every page that is written to, which for a sale costs half as much as its statements.
   * Should `act` fail later nevertheless, nothing of the turn is kept, nobody in it is answered with success,
   * and from then on there are savepoints here too.
   */
  optimistic<T>(act: () => T): T {
    if (this.#careful) return this.savepoint(act);
    this.#assertNotLost();
    const before = this.#sql.changes.get();
    return this.#orGiveBack(act, (error) => {
      if (this.#sql.changes.get() === before) return;
      this.#careful = explainDiskFull(error) === undefined;
      this.#require().lost = new Error(
        'a request failed after it had written, so nothing of its turn was kept',
        { cause: error },
      );
    });
  }

  /** When `act` throws, what it counted and asked for is given back too. */
  #orGiveBack<T>(act: () => T, undo: (error: unknown) => void): T {
    const group = this.#require();
    const counters = this.#counters.mark();
    const hooks = group.afterCommit.length;
    try {
      return act();
    } catch (error) {
      undo(error);
      // A full disk may roll back everything at once. Whoever comes later in the turn is told why.
      if (!this.#store.client.inTransaction) {
        group.lost ??= new Error("this turn's transaction was rolled back", { cause: error });
      }
      this.#counters.restore(counters);
      group.afterCommit.length = hooks;
      throw error;
    }
  }

  beforeCommit(task: BeforeCommit): void {
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
    clearImmediate(this.#next);
    let settle: (() => void)[];
    try {
      this.#assertNotLost();
      this.#beforeCommit();
      settle = Array.from(group.beforeCommit, (write) => write(this.#store));
      this.#counters.writeAll();
      this.#sql.commit.run();
    } catch (error) {
      if (this.#store.client.inTransaction) this.#store.client.exec('ROLLBACK');
      if (explainDiskFull(error) !== undefined) this.#makeRoom();
      this.#counters.forget();
      this.#onLost();
      group.reject(error);
      return;
    } finally {
      this.#open = undefined;
    }
    for (const task of settle) task();
    group.resolve();
    for (const task of group.afterCommit) task();
    this.#onCommitted();
  }

  /** Much of a full disk may be this database's own log. */
  #makeRoom(): void {
    try {
      emptyLog(this.#store);
    } catch {
      // The log stays as it is.
    }
  }

  /** What is done after a loss must not be kept by itself; a full disk may roll back everything at once. */
  #assertNotLost(): void {
    const { lost } = this.#require();
    if (lost) throw lost;
    if (!this.#store.client.inTransaction)
      throw new Error("this turn's transaction was rolled back");
  }

  #require(): Open {
    if (!this.#open) throw new Error('a transaction is used outside its turn');
    return this.#open;
  }
}
