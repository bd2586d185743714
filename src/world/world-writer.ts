import path from 'node:path';
import type { Store } from '../store/open.ts';
import { DEFAULT_WORLD } from './files.ts';
import { findTemplate, initializeWorld, keepTemplate } from './fresh-world.ts';
import { IdSeriesRegistry } from './id-series-registry.ts';
import type { WorldFileContents } from './received-world.ts';
import { activateSnapshot, assertComplete, carryOverCredentials, detachFork } from './restore.ts';
import type { World } from './world.ts';
import type { InitialWorld, SameIds, WorldsOptions } from './worlds-options.ts';
import { type NewStore, writeWorld } from './write-world.ts';

/** Writes the databases of new worlds and those that replace the database of a world, each with its id series. */
export class WorldWriter {
  readonly #options: WorldsOptions;
  readonly idSeries: IdSeriesRegistry;

  constructor(options: WorldsOptions) {
    const { dir } = options;
    this.#options = options;
    this.idSeries = new IdSeriesRegistry(
      dir === undefined ? undefined : path.join(dir, 'id-series'),
    );
  }

  /** Returns the bytes of a seeded database. */
  async seeded(seed: string, inventory: number): Promise<Buffer> {
    const template = findTemplate(seed, inventory);
    if (template) return template;
    return keepTemplate(seed, inventory, await this.#options.seedDatabase(seed, inventory));
  }

  initial({ name, from }: InitialWorld, seeded: Buffer): NewStore {
    if (Buffer.isBuffer(from)) return writeWorld(undefined, name, from, () => {});
    return this.#writeFresh(name, seeded, from);
  }

  fresh(name: string, seed: string, seeded: Buffer, { sameIds }: SameIds): NewStore {
    const { inventory } = this.#options;
    const owner = { seed, world: name };
    const idSeries = sameIds ? this.idSeries.repeat(owner) : this.idSeries.next(owner);
    return this.#writeFresh(name, seeded, { seed, inventory, idSeries });
  }

  /** @param fork names the source */
  fork(name: string, fork: string, source: Buffer, { sameIds }: SameIds): NewStore {
    const { dir, runtime } = this.#options;
    const now = runtime.now();
    return writeWorld(dir, name, source, (store) => {
      assertComplete(store, fork);
      activateSnapshot(store, name, now, (seed, idSeries) => {
        const owner = { seed, world: name };
        const repeated = sameIds ? this.idSeries.repeat(owner) : -1;
        // New ids must sort after the copied ones.
        return repeated >= idSeries ? repeated : this.idSeries.next(owner, idSeries);
      });
      detachFork(store, now);
    });
  }

  imported(name: string, bytes: Buffer, file: WorldFileContents): NewStore {
    // A later world of the name in the file must not issue the ids that are in it.
    let idSeries = this.idSeries.next({ seed: file.seed, world: file.name }, file.idSeries);
    if (name !== file.name) {
      idSeries = this.idSeries.next({ seed: file.seed, world: name }, file.idSeries);
    }
    const { dir, runtime } = this.#options;
    const now = runtime.now();
    return writeWorld(dir, name, bytes, (store) => {
      activateSnapshot(store, name, now, () => idSeries);
    });
  }

  /** Writes the fresh database that replaces that of a world. */
  reset({ name, identity }: World, old: Store, seeded: Buffer, { sameIds }: SameIds): NewStore {
    const { seed, inventory } = identity;
    const idSeries = sameIds ? identity.idSeries : this.idSeries.next({ seed, world: name });
    const keep = carryOverCredentials(old, this.#options.runtime.now());
    return this.#writeFresh(name, seeded, { seed, inventory, idSeries }, keep);
  }

  /** Writes the database of a snapshot, which replaces that of its world. */
  restored(
    name: string,
    snapshot: { name: string; bytes: Buffer },
    old: Store,
    { sameIds }: SameIds,
  ): NewStore {
    const { dir, runtime } = this.#options;
    const now = runtime.now();
    const keep = carryOverCredentials(old, now);
    return writeWorld(dir, name, snapshot.bytes, (store) => {
      assertComplete(store, snapshot.name);
      activateSnapshot(store, name, now, (seed, idSeries) =>
        sameIds ? idSeries : this.idSeries.next({ seed, world: name }, idSeries),
      );
      keep(store);
    });
  }

  #writeFresh(
    name: string,
    seeded: Buffer,
    fresh: { seed: string; inventory: number; idSeries: number },
    alter: (store: Store) => void = () => {},
  ): NewStore {
    const written = writeWorld(this.#options.dir, name, seeded, (store) => {
      initializeWorld(store, name, { ...this.#options, ...fresh });
      alter(store);
    });
    const isImported = name === DEFAULT_WORLD && this.#options.importInventory !== undefined;
    return { ...written, isFresh: !isImported };
  }
}
