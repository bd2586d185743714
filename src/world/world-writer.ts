import fs from 'node:fs';
import path from 'node:path';
import { conflict } from '../kernel/errors.ts';
import { backgroundFile } from '../store/database-file.ts';
import type { Store } from '../store/open.ts';
import { PRIVATE_FILE } from '../store/private-files.ts';
import type { Cause } from './acts.ts';
import {
  BACKGROUND_LIMITS,
  type DatabaseJob,
  isLarge,
  type OperationQueue,
  type RunOperationJob,
} from './background.ts';
import { worldFile } from './files.ts';
import {
  type FreshOptions,
  findTemplate,
  initializeWorld,
  keepTemplate,
  MAX_TEMPLATE_INVENTORY,
  seedTemplate,
} from './fresh-world.ts';
import { IdSeriesLedger } from './id-series-ledger.ts';
import type { ReceivedWorld } from './received-world.ts';
import { activateSnapshot, assertComplete, carryOverCredentials, detachFork } from './restore.ts';
import type { World } from './world.ts';
import type { WorldFileContents } from './world-file.ts';
import type { GivenWorld, NewWorld, SameIds, WorldsOptions } from './worlds-options.ts';
import { type NewStore, writeWorld } from './write-world.ts';

/** Makes the databases of new worlds, and those that replace the database of a world. */
class NewDatabases {
  readonly #options: FreshOptions;
  readonly #operations: OperationQueue;
  readonly #assertPresent: (world: World) => void;

  constructor(
    options: FreshOptions,
    operations: OperationQueue,
    assertPresent: (world: World) => void,
  ) {
    this.#options = options;
    this.#operations = operations;
    this.#assertPresent = assertPresent;
  }

  /** Runs `act` with a seeded database, as bytes or as a file that a background job has written. */
  seeded<T>(
    name: string,
    seed: string,
    inventory: number,
    act: (from: Buffer | string) => T | Promise<T>,
  ): Promise<T> {
    const { dir, seedInventory } = this.#options;
    const known = findTemplate(seed, inventory);
    const small = known
      ? dir === undefined || !isLarge(known.length)
      : inventory <= BACKGROUND_LIMITS.inventory;
    if (small) {
      return this.#operations.run(() => {
        const seededNow = () =>
          keepTemplate(seed, inventory, seedTemplate(seedInventory, seed, inventory));
        return act(known ?? seededNow());
      });
    }
    const job = { seed, inventory };
    if (dir === undefined) {
      return this.#operations.runPrepared(
        undefined,
        async (run) => Buffer.from((await run({ do: 'seed-bytes', ...job })).buffer),
        (bytes) => act(keepTemplate(seed, inventory, bytes)),
      );
    }
    const file = backgroundFile(worldFile(dir, name));
    return this.#operations.runPrepared(
      file,
      async (run) => {
        if (known) return fs.promises.writeFile(file, known, { mode: PRIVATE_FILE, flush: true });
        await run({ do: 'seed', file, ...job });
        if (inventory > MAX_TEMPLATE_INVENTORY) return;
        keepTemplate(seed, inventory, await fs.promises.readFile(file));
      },
      () => act(file),
    );
  }

  /** Runs `act` with a copy of a database, as bytes or as a file that a background job has written. */
  copied<T>(
    name: string,
    source: Buffer | string | World,
    fork: boolean,
    act: (from: Buffer | string) => T | Promise<T>,
  ): Promise<T> {
    const { dir } = this.#options;
    if (Buffer.isBuffer(source) || dir === undefined) {
      return this.#operations.run(() => act(source as Buffer));
    }
    const file = backgroundFile(worldFile(dir, name));
    return this.#operations.runPrepared(
      file,
      async (run) => {
        if (typeof source === 'string')
          return copySnapshot(run, { do: 'copy', file, source, of: 'snapshot', fork });
        this.#assertPresent(source);
        return source.copyTo((from) => run({ do: 'copy', file, source: from, of: 'world', fork }));
      },
      () => act(file),
    );
  }

  writeFresh(
    name: string,
    from: Buffer | string,
    fresh: { seed: string; inventory: number; idSeries: number },
    alter: (store: Store) => void = () => {},
  ): NewStore {
    return writeWorld(this.#options.dir, name, from, (store) => {
      initializeWorld(store, name, { ...this.#options, ...fresh });
      alter(store);
    });
  }
}

/** @throws conflict if the snapshot is damaged */
async function copySnapshot(
  run: RunOperationJob,
  job: DatabaseJob & { do: 'copy' },
): Promise<void> {
  await run(job).catch((error: unknown) => {
    const damaged = error instanceof Error && error.name === 'UnusableStateError';
    throw damaged ? conflict(`snapshot: ${error.message}`) : error;
  });
}

/** Called when a database can be written; what it throws before it calls `write` rejects the operation. */
type Operation<T> = (write: () => NewStore) => T | Promise<T>;

/** Writes the databases of new worlds and those that replace the database of a world, each with its id series. */
export class WorldWriter {
  readonly #options: WorldsOptions;
  readonly #databases: NewDatabases;
  readonly #assertPresent: (world: World) => void;
  readonly idSeries: IdSeriesLedger;

  constructor(
    options: WorldsOptions,
    operations: OperationQueue,
    assertPresent: (world: World) => void,
  ) {
    const { dir } = options;
    this.#options = options;
    this.#assertPresent = assertPresent;
    this.#databases = new NewDatabases(options, operations, assertPresent);
    this.idSeries = new IdSeriesLedger(dir === undefined ? undefined : path.join(dir, 'id-series'));
  }

  async given({ name, from }: GivenWorld): Promise<NewStore> {
    if (Buffer.isBuffer(from)) return writeWorld(undefined, name, from, () => {});
    return this.#databases.seeded(name, from.seed, from.inventory, (bytes) =>
      this.#databases.writeFresh(name, bytes, from),
    );
  }

  fresh<T>(
    name: string,
    { seed = this.#options.seed, sameIds }: NewWorld,
    act: Operation<T>,
  ): Promise<T> {
    const { inventory } = this.#options;
    return this.#databases.seeded(name, seed, inventory, (from) =>
      act(() => {
        const owner = { seed, world: name };
        const idSeries = sameIds ? this.idSeries.repeat(owner) : this.idSeries.next(owner);
        return this.#databases.writeFresh(name, from, { seed, inventory, idSeries });
      }),
    );
  }

  /** @param fork names the source */
  fork<T>(
    name: string,
    fork: string,
    source: Buffer | string | World,
    { sameIds }: SameIds,
    act: Operation<T>,
  ): Promise<T> {
    const { dir, runtime } = this.#options;
    return this.#databases.copied(name, source, true, (from) =>
      act(() => {
        const now = runtime.now();
        return writeWorld(dir, name, from, (store) => {
          assertComplete(store, fork);
          activateSnapshot(store, name, now, (seed, idSeries) => {
            const owner = { seed, world: name };
            const repeated = sameIds ? this.idSeries.repeat(owner) : -1;
            // New ids must sort after the copied ones.
            return repeated >= idSeries ? repeated : this.idSeries.next(owner, idSeries);
          });
          detachFork(store, now);
        });
      }),
    );
  }

  imported(
    received: ReceivedWorld,
    file: WorldFileContents,
    { name, verify }: { name: string; verify: (store: Store) => void },
  ): NewStore {
    // A later world of the name in the file must not issue the ids that are in it.
    let idSeries = this.idSeries.next({ seed: file.seed, world: file.name }, file.idSeries);
    if (name !== file.name) {
      idSeries = this.idSeries.next({ seed: file.seed, world: name }, file.idSeries);
    }
    const now = this.#options.runtime.now();
    return received.write(name, (store) => {
      verify(store);
      activateSnapshot(store, name, now, () => idSeries);
    });
  }

  /** Replaces the database of a world with a fresh one, and calls `done`, in one act. */
  reset(
    world: World,
    cause: Cause,
    { sameIds }: SameIds,
    done: () => Promise<void> | undefined,
  ): Promise<void> {
    const { name, identity } = world;
    const { seed, inventory } = identity;
    return this.#databases.seeded(name, seed, inventory, async (from) => {
      // What a commit begins comes before this act, not within it.
      world.flush();
      await world.actOutside(cause, () => {
        this.#assertPresent(world);
        const idSeries = sameIds
          ? world.identity.idSeries
          : this.idSeries.next({ seed, world: name });
        const now = this.#options.runtime.now();
        world.replaceStore((old) => {
          const keep = carryOverCredentials(old, now);
          return this.#databases.writeFresh(name, from, { seed, inventory, idSeries }, keep);
        });
        return done();
      });
    });
  }

  /** Replaces the database of a world with that of a snapshot, and calls `done`, in one act. */
  restore(
    world: World,
    { name: snapshot, source }: { name: string; source: Buffer | string },
    cause: Cause,
    { sameIds }: SameIds,
    done: () => void,
  ): Promise<void> {
    const { name } = world;
    return this.#databases.copied(name, source, false, async (from) => {
      // What a commit begins comes before this act, not within it.
      world.flush();
      await world.actOutside(cause, () => {
        this.#assertPresent(world);
        const now = this.#options.runtime.now();
        world.replaceStore((old) => {
          const keep = carryOverCredentials(old, now);
          return writeWorld(this.#options.dir, name, from, (store) => {
            assertComplete(store, snapshot);
            activateSnapshot(store, name, now, (seed, idSeries) =>
              sameIds ? idSeries : this.idSeries.next({ seed, world: name }, idSeries),
            );
            keep(store);
          });
        });
        done();
      });
    });
  }
}
