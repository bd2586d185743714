import fs from 'node:fs';
import { conflict } from '../kernel/errors.ts';
import { backgroundFile } from '../store/database-file.ts';
import type { Store } from '../store/open.ts';
import { PRIVATE_FILE } from '../store/private-files.ts';
import {
  BACKGROUND_LIMITS,
  type DatabaseJob,
  isLarge,
  type OperationQueue,
  type RunOperationJob,
} from './background.ts';
import { worldFile } from './files.ts';
import { type FreshOptions, initializeWorld } from './fresh-world.ts';
import { findTemplate, keepTemplate, MAX_TEMPLATE_INVENTORY, seedTemplate } from './template.ts';
import type { World } from './world.ts';
import { type NewStore, writeWorld } from './write-world.ts';

/** Makes the databases of new worlds, and those that replace the database of a world. */
export class NewDatabases {
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
