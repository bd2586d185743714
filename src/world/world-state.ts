import fs from 'node:fs';
import { CodedError } from '../kernel/errors.ts';
import { IdSeries } from '../kernel/ids.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { CommitGroup } from '../store/commit-group.ts';
import { Counters } from '../store/counters.ts';
import type { Store } from '../store/open.ts';
import { type HasDb, prepared } from '../store/prepared.ts';
import { world as worldTable } from '../store/schema/world.ts';
import { Clock, continueClock } from './clock.ts';
import type { OpenDatabase, WorldIdentity } from './world-tx.ts';

/** How often a file that is written to is checked to be in place. */
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

/** What belongs to a database, whether it is open or not. A reset replaces it. */
export interface WorldState extends WorldIdentity {
  /** Undefined in memory. */
  file: OwnFile | undefined;
  /** The database of the clock. */
  clockDb: HasDb;
}

/** Reads what lasts while the database is in use, and sets a clock right that is behind. @param name of the world */
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
