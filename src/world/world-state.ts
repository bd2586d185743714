import fs from 'node:fs';
import { CodedError } from '../kernel/errors.ts';
import { type IdPrefix, IdSeries } from '../kernel/ids.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { CommitGroup, Counters } from '../store/commit-group.ts';
import type { Db, Store } from '../store/open.ts';
import { type HasDb, prepared } from '../store/prepared.ts';
import { world as worldTable } from '../store/schema/world.ts';
import type { Change, Tx, TxWorld } from '../store/transaction.ts';
import { Clock, continueClock } from './clock.ts';

/** Interval of the checks whether a file that is written to is still in place. */
const CHECK_EVERY_MS = 100;

/** A file that must stay where it was when it was opened. */
class OwnFile {
  readonly path: string;
  readonly #inode: number | undefined;
  readonly #runtime: Runtime;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(path: string, runtime: Runtime) {
    this.path = path;
    this.#inode = inodeOf(path);
    this.#runtime = runtime;
  }

  /** @throws internal_error if the file was deleted, moved or replaced: writes would be lost */
  assertInPlace(): void {
    if (inodeOf(this.path) === this.#inode) return;
    throw new CodedError(
      'internal_error',
      `${this.path} was deleted, moved or replaced while the sandbox used it, so nothing more can be stored; start the sandbox again`,
    );
  }

  /** As `assertInPlace`, at most once per `CHECK_EVERY_MS`. */
  assertLately(): void {
    const now = this.#runtime.monotonic();
    if (now - this.#checkedAt < CHECK_EVERY_MS) return;
    this.assertInPlace();
    this.#checkedAt = now;
  }
}

function inodeOf(path: string): number | undefined {
  return fs.statSync(path, { throwIfNoEntry: false })?.ino;
}

const readIdentity = prepared((db) => db.select().from(worldTable).prepare());

/** Whether the database has its world row. */
export function hasWorldRow(store: Store): boolean {
  return readIdentity(store).get() !== undefined;
}

/** The state that belongs to a database, whether it is open or not. A reset replaces it. */
export interface WorldState extends WorldIdentity {
  /** Undefined in memory. */
  file: OwnFile | undefined;
  /** The database of the clock. */
  clockDb: HasDb;
}

/**
 * Reads the state that lasts while the database is in use, and moves a clock that is behind. @param name of the world
 */
export function readWorldState(store: Store, name: string, runtime: Runtime): WorldState {
  continueClock(store, runtime.now());
  const row = readIdentity(store).get();
  if (!row) throw new Error(`the world ${name} has no identity row`);
  const clockDb = { db: store.db };
  return {
    file: store.file === undefined ? undefined : new OwnFile(store.file, runtime),
    clock: new Clock(clockDb, runtime),
    clockDb,
    // The name of the file counts, not the row.
    identity: { ...row, name },
    ids: new IdSeries({ seed: row.seed, world: name, series: row.idSeries }),
  };
}

export interface CommitHooks {
  onCommitted(): void;
  onCommitFailed(): void;
}

/** Makes the counters and the group commit of an opened store. */
export function connect(
  store: Store,
  { clock, file }: WorldState,
  hooks: CommitHooks,
): OpenDatabase {
  const counters = new Counters(store);
  const commits = new CommitGroup(store, counters, {
    beforeCommit: () => file?.assertLately(),
    onCommitFailed: () => {
      clock.reload();
      hooks.onCommitFailed();
    },
    onCommitted: () => hooks.onCommitted(),
  });
  return { store, counters, commits };
}

/** An open database of a world. */
export interface OpenDatabase {
  store: Store;
  counters: Counters;
  commits: CommitGroup;
}

/** The identity that belongs to a database of a world, open or closed. A reset replaces it. */
interface WorldIdentity {
  clock: Clock;
  identity: TxWorld & { inventory: number; createdAt: number; idSeries: number };
  ids: IdSeries;
}

/** Makes a base62 secret, from `material` or at random. */
type SecretFrom = (material: string, length?: number) => string;

/** Hooks that a transaction gets from its world. */
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
    { realNow, now }: { realNow: number; now?: number | undefined },
    hooks: WorldHooks,
  ) {
    this.db = store.db;
    this.now = now ?? clock.now(realNow);
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
