import { base62From } from '../kernel/ids.ts';
import { randomSecret } from '../kernel/random-secret.ts';
import type { Runtime } from '../kernel/runtime.ts';
import type { Store } from '../store/open.ts';
import { world } from '../store/schema/world.ts';
import { type SeedInventory, seededTemplate } from './template.ts';
import { writeWorld } from './write-world.ts';

export interface FreshOptions {
  /** Folder of the world files; undefined keeps every world in memory. */
  dir: string | undefined;
  runtime: Runtime;
  /** Seed and number of synthetic domains of a fresh world. */
  seed: string;
  inventory: number;
  /** Takes token keys and minted keys from the system's random source instead of the seed. */
  randomKeys?: boolean | undefined;
  /** Sandbox time, Unix ms, at which a fresh world's clock stands frozen; undefined lets it run with real time. */
  frozenAt?: number | undefined;
  seedInventory: SeedInventory;
  /** Adds what only some worlds list when they are fresh, by their name; what it throws changes nothing. */
  importInventory?: ((store: Store, name: string) => void) | undefined;
}

/** What one fresh world is made of. */
export interface FreshWorld extends FreshOptions {
  /** Which id series of the world its ids belong to. */
  idSeries: number;
}

/** The token key of a fresh world: whoever knows seed and name knows it. */
export function seededTokenKey(seed: string, name: string): string {
  return base62From(`${seed}\n${name}\ntoken key`);
}

/** Domains up to which a seeded world is kept in memory for resets and further worlds, about 75 MB. */
const MAX_IN_MEMORY = 200_000;

/**
 * Makes a world of its seed, ready to be opened. A very large one is seeded in its file each time.
 * @param alter what is to be in it besides
 */
export function writeFreshWorld(
  name: string,
  {
    dir,
    runtime,
    seed,
    inventory,
    randomKeys,
    frozenAt,
    seedInventory,
    importInventory,
    idSeries,
  }: FreshWorld,
  alter: (store: Store) => void = () => {},
): () => Store {
  const now = runtime.now();
  const seedsFile = dir !== undefined && inventory > MAX_IN_MEMORY;
  const bytes = seedsFile ? Buffer.alloc(0) : seededTemplate(seedInventory, seed, inventory);
  return writeWorld(dir, name, bytes, (store) => {
    if (seedsFile) seedInventory(store, seed, inventory);
    store.db
      .insert(world)
      .values({
        id: 1,
        name,
        seed,
        inventory,
        tokenKey: randomKeys ? randomSecret() : seededTokenKey(seed, name),
        clockOffsetMs: frozenAt === undefined ? 0 : frozenAt - now,
        clockFrozenAt: frozenAt ?? null,
        createdAt: now,
        idSeries,
      })
      .run();
    importInventory?.(store, name);
    alter(store);
  });
}
