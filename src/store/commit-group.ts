import type { Statement } from 'better-sqlite3';
import { clearImmediate, setImmediate } from '../kernel/timers.ts';
import { explainDiskFull } from './errors.ts';
import { emptyLog, type Store } from './open.ts';
import type { HasDb } from './prepared.ts';
import { counters } from './schema/world.ts';
import { finder, select, upserter } from './table.ts';

const read = finder(counters, 'name');
const readAll = select(counters);
const write = upserter(counters, ['name']);

/**
 * Caches the counters of a world and writes them once per commit. `restore` undoes what a rollback undoes, and
 * `forget` reads the rows again after a lost commit.
 */
export class Counters {
  readonly #on: HasDb;
  #values = new Map<string, number>();
  #unwritten = new Set<string>();
  /** Names counted since the last commit, oldest first. */
  #counted: string[] = [];
  /** Names counted since the last `takeChanged`; undefined before the first. */
  #changed: Set<string> | undefined;

  constructor(on: HasDb) {
    this.#on = on;
  }

  /** Adds one and returns the new value; the first is 1. */
  next(name: string): number {
    const value = this.value(name) + 1;
    this.#values.set(name, value);
    this.#unwritten.add(name);
    this.#counted.push(name);
    this.#changed?.add(name);
    return value;
  }

  /** Whether changes are noted, which begins with the first `takeChanged`. */
  get areNoted(): boolean {
    return this.#changed !== undefined;
  }

  /** The counters that changed since the last call, or all of them. Undefined if there are none. */
  takeChanged(all: boolean): Record<string, number> | undefined {
    const names = (!all && this.#changed) || [
      ...readAll(this.#on)
        .all()
        .map(({ name }) => name),
      ...this.#values.keys(),
    ];
    this.#changed ??= new Set();
    let values: Record<string, number> | undefined;
    for (const name of names) {
      values ??= {};
      values[name] = this.value(name);
    }
    this.#changed.clear();
    return values;
  }

  value(name: string): number {
    return this.#values.get(name) ?? read(this.#on, name)?.value ?? 0;
  }

  /** Sets a counter, as if it had been counted. */
  set(name: string, value: number): void {
    this.#values.set(name, value);
    this.#unwritten.add(name);
  }

  /** Returns a point to which `restore` goes back; valid until the next commit. */
  mark(): number {
    return this.#counted.length;
  }

  restore(mark: number): void {
    for (const name of this.#counted.splice(mark)) {
      const value = (this.#values.get(name) ?? 0) - 1;
      // A counter that was never used has no row.
      if (value === 0) this.#values.delete(name);
      else this.#values.set(name, value);
    }
  }

  /** Writes changed counters, right before the COMMIT. */
  writeAll(): void {
    for (const name of this.#unwritten) {
      const value = this.#values.get(name);
      if (value !== undefined) write(this.#on, { name, value });
    }
    this.#unwritten.clear();
    this.#counted = [];
  }

  forget(): void {
    this.#values.clear();
    this.#unwritten.clear();
    this.#counted = [];
  }
}

interface Open {
  committed: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
  afterCommit: (() => void)[];
  /** Why this transaction must not be committed. */
  failed?: Error;
}

/**
 * Runs all requests of an event-loop tick in one SQLite transaction. Each is kept or rolled back as a whole, and gets its
 * response after the COMMIT: a burst pays for one commit, and a kill loses nothing that was acknowledged.
 */
export class CommitGroup {
  readonly #store: Store;
  readonly #counters: Counters;
  readonly #sql: Record<
    'begin' | 'commit' | 'savepoint' | 'release' | 'undo' | 'changes',
    Statement
  >;
  readonly #beforeCommit: () => void;
  readonly #onCommitFailed: () => void;
  readonly #onCommitted: () => void;
  #open: Open | undefined;
  #next: NodeJS.Immediate | undefined;
  /** Set once an act without a savepoint has thrown after writing. */
  #usesSavepoints = false;

  /**
   * @param hooks.beforeCommit throws to prevent the COMMIT
   * @param hooks.onCommitFailed called after a failed COMMIT: caches of rows must be read again
   * @param hooks.onCommitted called after every COMMIT
   */
  constructor(
    store: Store,
    counters: Counters,
    hooks: { beforeCommit?: () => void; onCommitFailed: () => void; onCommitted: () => void },
  ) {
    this.#store = store;
    this.#counters = counters;
    this.#beforeCommit = hooks.beforeCommit ?? (() => {});
    this.#onCommitFailed = hooks.onCommitFailed;
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

  /** Resolves after the open transaction is committed; at once if none is open. */
  get committed(): Promise<void> {
    return this.#open?.committed ?? Promise.resolve();
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Opens the transaction of this tick if none is open. */
  begin(): void {
    if (this.#open) return;
    this.#sql.begin.run();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // A rejection that no request waits for must not end the process.
    promise.catch(() => {});
    this.#open = {
      committed: promise,
      resolve,
      reject,
      afterCommit: [],
    };
    this.#next = setImmediate(() => this.flush());
  }

  /** Runs `act` in a savepoint: if it throws, its writes are rolled back. Call after `begin`. */
  savepoint<T>(act: () => T): T {
    this.#assertNotFailed();
    this.#sql.savepoint.run();
    return this.#withUndo(
      () => {
        const result = act();
        this.#sql.release.run();
        return result;
      },
      () => {
        // A full disk may already have rolled back the transaction, and the savepoint with it.
        if (!this.#store.client.inTransaction) return;
        this.#sql.undo.run();
        this.#sql.release.run();
      },
    );
  }

  /**
   * As `savepoint`, for an `act` that throws only before it writes, so that there is nothing to roll back. A savepoint
   * copies every page that is written, which for an order costs half as much as its statements. If `act` throws after
   * writing nevertheless, the whole transaction fails, and later calls use savepoints.
   */
  withoutSavepoint<T>(act: () => T): T {
    if (this.#usesSavepoints) return this.savepoint(act);
    this.#assertNotFailed();
    const before = this.#sql.changes.get();
    return this.#withUndo(act, (error) => {
      if (this.#sql.changes.get() === before) return;
      this.#usesSavepoints = explainDiskFull(error) === undefined;
      this.#require().failed = new Error(
        'a request threw after writing, so the transaction of its tick was not committed',
        { cause: error },
      );
    });
  }

  /** If `act` throws, also resets its counters and commit hooks. */
  #withUndo<T>(act: () => T, undo: (error: unknown) => void): T {
    const group = this.#require();
    const counters = this.#counters.mark();
    const hooks = group.afterCommit.length;
    try {
      return act();
    } catch (error) {
      undo(error);
      // A full disk may roll back the transaction. Later requests of this tick get the same cause.
      if (!this.#store.client.inTransaction) {
        group.failed ??= new Error('the transaction of this tick was rolled back', {
          cause: error,
        });
      }
      this.#counters.restore(counters);
      group.afterCommit.length = hooks;
      throw error;
    }
  }

  afterCommit(task: () => void): void {
    this.#require().afterCommit.push(task);
  }

  /** Runs `task` after the commit, once per transaction. */
  onceAfterCommit(task: () => void): void {
    const { afterCommit } = this.#require();
    if (!afterCommit.includes(task)) afterCommit.push(task);
  }

  /** Commits now instead of at the end of the tick. */
  flush(): void {
    const group = this.#open;
    if (!group) return;
    clearImmediate(this.#next);
    try {
      this.#assertNotFailed();
      this.#beforeCommit();
      this.#counters.writeAll();
      this.#sql.commit.run();
    } catch (error) {
      if (this.#store.client.inTransaction) this.#store.client.exec('ROLLBACK');
      if (explainDiskFull(error) !== undefined) this.#makeRoom();
      this.#counters.forget();
      this.#onCommitFailed();
      group.reject(error);
      return;
    } finally {
      this.#open = undefined;
    }
    group.resolve();
    for (const task of group.afterCommit) task();
    this.#onCommitted();
  }

  /** Truncates the write-ahead log, which may be much of a full disk. */
  #makeRoom(): void {
    try {
      emptyLog(this.#store);
    } catch {
      // The log stays.
    }
  }

  /** Later writes must not be committed without the earlier ones. */
  #assertNotFailed(): void {
    const { failed } = this.#require();
    if (failed) throw failed;
    if (!this.#store.client.inTransaction)
      throw new Error('the transaction of this tick was rolled back');
  }

  #require(): Open {
    if (!this.#open) throw new Error('a transaction was used outside its tick');
    return this.#open;
  }
}
