import { base62From, randomSecret } from '../kernel/ids.ts';
import type { Runtime } from '../kernel/runtime.ts';
import type { Store } from '../store/open.ts';
import { world } from '../store/schema/world.ts';
import { inserter } from '../store/table.ts';
import type { SeedInventory } from './template.ts';

export interface FreshOptions {
  /** Folder of the world files; undefined keeps every world in memory. */
  dir: string | undefined;
  runtime: Runtime;
  seed: string;
  /** Number of synthetic domains. */
  inventory: number;
  /** Takes token keys and minted keys from the system's random source instead of the seed. */
  randomKeys?: boolean | undefined;
  /** Sandbox time at which the clock of a fresh world is frozen, Unix ms; undefined lets it run. */
  frozenAt?: number | undefined;
  seedInventory: SeedInventory;
  /** Adds further inventory to the fresh world of this name. If it throws, nothing has changed. */
  importInventory?: ((store: Store, name: string) => void) | undefined;
}

/** The options of one fresh world. */
export interface FreshWorld extends FreshOptions {
  idSeries: number;
}

const insertWorld = inserter(world);

/** The token key of a fresh world, which follows from its seed and name. */
export function seededTokenKey(seed: string, name: string): string {
  return base62From(`${seed}\n${name}\ntoken key`);
}

/** Makes a seeded database the fresh world of that name. */
export function initializeWorld(
  store: Store,
  name: string,
  { runtime, seed, inventory, randomKeys, frozenAt, importInventory, idSeries }: FreshWorld,
): void {
  const now = runtime.now();
  insertWorld(store, {
    id: 1,
    name,
    seed,
    inventory,
    tokenKey: randomKeys ? randomSecret() : seededTokenKey(seed, name),
    clockOffsetMs: frozenAt === undefined ? 0 : frozenAt - now,
    clockFrozenAt: frozenAt ?? null,
    createdAt: now,
    idSeries,
  });
  importInventory?.(store, name);
}
