import { IdSeries } from '../kernel/ids.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { CommitGroup } from '../store/commit-group.ts';
import { Counters } from '../store/counters.ts';
import type { Store } from '../store/open.ts';
import { type HasDb, prepared } from '../store/prepared.ts';
import { world as worldTable } from '../store/schema/world.ts';
import { Clock, continueClock } from './clock.ts';
import { OwnFile } from './own-file.ts';
import type { OpenDatabase, WorldIdentity } from './world-tx.ts';

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
