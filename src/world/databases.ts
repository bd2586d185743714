import path from 'node:path';
import type { Runtime } from '../kernel/runtime.ts';
import { alterCopy, openCopy, type Store } from '../store/open.ts';
import { DEFAULT_WORLD, worldFile } from './files.ts';
import { IdSeriesRegistry } from './id-series-registry.ts';
import {
  continueWorld,
  detachFork,
  initializeWorld,
  keepCredentials,
  type RandomKeys,
  requireIdentity,
  type WorldIdentity,
} from './new-world.ts';
import { loadTemplate, type SeedInventory } from './templates.ts';
import type { World } from './world.ts';

export interface DatabaseOptions {
  /** Folder of the world files; undefined keeps every world in memory. */
  dir: string | undefined;
  runtime: Runtime;
  seed: string;
  /** Number of synthetic domains. */
  inventory: number;
  randomKeys?: RandomKeys | undefined;
  /** Sandbox time at which the clock of a fresh world is frozen, Unix ms; undefined lets it run. */
  frozenAt?: number | undefined;
  /** Adds further inventory to the fresh default world. If it throws, nothing has changed. */
  importInventory?: ((store: Store) => void) | undefined;
  seedInventory: SeedInventory;
}

/** Whether a reset, restore or new world repeats ids. */
export interface SameIds {
  /** Repeats the id series of the world (reset), the snapshot (restore) or the last world of the name (new). */
  sameIds?: boolean | undefined;
}

/**
 * Makes the databases from which worlds are opened, created or replaced. Each is a copy beside the file of its world, changed
 * in one transaction; if that fails, nothing is left of it. `install` puts it in place.
 */
export class WorldDatabases {
  readonly #options: DatabaseOptions;
  readonly #addDefaults: (store: Store) => void;
  readonly #idSeries: IdSeriesRegistry;

  /** @param addDefaults adds to a fresh default world what it must always have, such as the default credential; no listings */
  constructor(options: DatabaseOptions, addDefaults: (store: Store) => void) {
    this.#options = options;
    this.#addDefaults = addDefaults;
    this.#idSeries = new IdSeriesRegistry(options.dir && path.join(options.dir, 'id-series'));
  }

  /** Undefined in memory. */
  fileOf(name: string): string | undefined {
    const { dir } = this.#options;
    return dir && worldFile(dir, name);
  }

  /** Whether a fresh world has no other inventory than that of its template. */
  hasSeededInventory(name: string): boolean {
    return name !== DEFAULT_WORLD || this.#options.importInventory === undefined;
  }

  /** Makes a fresh world. */
  fresh(world: Omit<WorldIdentity, 'idSeries'>, options: SameIds): Store {
    return this.#initialize({ ...world, idSeries: this.#idSeries.next(world, options) });
  }

  /** Makes a world fresh again. Its credentials stay. */
  reset({ name, identity, store }: World, { sameIds }: SameIds): Store {
    const { seed, inventory } = identity;
    const atLeast = identity.idSeries + 1;
    const idSeries = sameIds ? identity.idSeries : this.#idSeries.next({ seed, name }, { atLeast });
    return this.#initialize({ name, seed, inventory, idSeries }, store);
  }

  /** Makes a copy of a world or snapshot the fork of that name, without its credentials. */
  fork(copy: Store, name: string, options: SameIds): Store {
    const now = this.#options.runtime.now();
    return alterCopy(copy, (store) => {
      const { seed, idSeries } = requireIdentity(store);
      // New ids must sort after the copied ones.
      const series = this.#idSeries.next({ seed, name }, { atLeast: idSeries, ...options });
      continueWorld(store, { name, idSeries: series }, now);
      detachFork(store, now);
    });
  }

  /** Makes a copy of a snapshot the next state of its world. The credentials of the world stay as they are now. */
  restore(copy: Store, { name, identity, store: old }: World, { sameIds }: SameIds): Store {
    const { runtime } = this.#options;
    return alterCopy(copy, (store) => {
      const { seed, idSeries } = requireIdentity(store);
      const atLeast = Math.max(idSeries, identity.idSeries + 1);
      const series = sameIds ? idSeries : this.#idSeries.next({ seed, name }, { atLeast });
      continueWorld(store, { name, idSeries: series }, runtime.now());
      keepCredentials(old, store, runtime);
    });
  }

  /** Makes an exported world, which the caller has checked, the world of that name, with its credentials and deliveries. */
  import(bytes: Buffer, name: string): Store {
    return alterCopy(openCopy(bytes, this.fileOf(name)), (store) => {
      const { seed, name: sourceName, idSeries: atLeast } = requireIdentity(store);
      const idSeries = this.#idSeries.next({ seed, name }, { atLeast });
      // A later world of the name in the file must not issue the ids that are in it either.
      this.#idSeries.next({ seed, name: sourceName }, { atLeast });
      continueWorld(store, { name, idSeries }, this.#options.runtime.now());
    });
  }

  /** @param old the database of a world that is reset */
  #initialize(identity: WorldIdentity, old?: Store): Store {
    const { runtime, importInventory, seedInventory } = this.#options;
    const template = loadTemplate(identity.seed, identity.inventory, seedInventory);
    return alterCopy(openCopy(template, this.fileOf(identity.name)), (store) => {
      initializeWorld(store, identity, this.#options);
      if (old) keepCredentials(old, store, runtime);
      if (identity.name !== DEFAULT_WORLD) return;
      importInventory?.(store);
      this.#addDefaults(store);
    });
  }
}
