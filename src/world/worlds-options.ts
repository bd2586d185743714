import type { Tx } from '../store/transaction.ts';
import type { FreshOptions } from './fresh-world.ts';
import type { SnapshotStorage } from './snapshot-storage.ts';
import type { World } from './world.ts';

/** Whether a reset, restore or new world repeats ids. */
export interface SameIds {
  /** Repeats the last id series, for byte-identical runs, instead of beginning the next one. */
  sameIds?: boolean | undefined;
}

export interface WorldsOptions extends FreshOptions {
  /** Folder of the snapshots; undefined keeps them in memory. */
  snapshotsDir: string | undefined;
  /** Returns the bytes of a newly seeded database. */
  seedDatabase(seed: string, inventory: number): Promise<Buffer>;
  /** Called before a world of an older version is migrated, which may take seconds. */
  onUpgrade?: ((world: string) => void) | undefined;
  /**
   * A world in memory to start with, from its database or fresh. Requests cannot create other worlds then, because they
   * may come from the repro file of a stranger.
   */
  initialWorld?: InitialWorld | undefined;
  /** Where snapshots are stored; by default in `snapshotsDir`. */
  snapshotStorage?: SnapshotStorage | undefined;
  /** Called with every world that was opened or created. */
  onOpen(world: World): void;
  /** Called with a world that was reset, before anything else runs in it. */
  onReset?: (world: World) => void;
  /** Adds missing credentials and registrations to the default world; called at every start and reset. */
  seedDefaults(tx: Tx): void;
}

export interface InitialWorld {
  name: string;
  /** The serialized database, or what a fresh world is made of. */
  from: Buffer | { seed: string; inventory: number; idSeries: number };
  /** The last id series that was used for a world of this name. */
  lastSeries: number;
}

/** How a new world is created. */
export interface NewWorld extends SameIds {
  /** Name of a world or, if there is no such world, of a snapshot of `snapshotOwner`. */
  fork?: string | undefined;
  snapshotOwner?: World | undefined;
  seed?: string | undefined;
}
