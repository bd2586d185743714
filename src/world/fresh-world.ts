import fs from 'node:fs';
import path from 'node:path';
import { base62From, randomSecret } from '../kernel/ids.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { closeStore, openMemoryStore, type Store, serializeStore } from '../store/open.ts';
import { world } from '../store/schema/world.ts';
import { inserter } from '../store/table.ts';
import { DEFAULT_WORLD } from './files.ts';

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
  /** Adds further inventory to the fresh default world. If it throws, nothing has changed. */
  importInventory?: ((store: Store) => void) | undefined;
}

/** The options of one fresh world. */
interface FreshWorld extends FreshOptions {
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
  if (name === DEFAULT_WORLD) importInventory?.(store);
}

/** Adds to an empty database what every fresh world of this seed and size contains. */
type SeedInventory = (store: Store, seed: string, inventory: number) => void;

/** Largest inventory whose template is kept in memory, about 75 MB. */
const MAX_TEMPLATE_INVENTORY = 200_000;
const MAX_TEMPLATES = 4;
const templates = new Map<string, Buffer>();

/** Returns the bytes of a freshly seeded database if they are known: shipped, or kept in memory. */
export function findTemplate(seed: string, inventory: number): Buffer | undefined {
  return shippedTemplate(seed, inventory) ?? templates.get(`${inventory}\n${seed}`);
}

/** Keeps the last templates in memory: seeding takes much longer than copying. */
export function keepTemplate(seed: string, inventory: number, bytes: Buffer): Buffer {
  if (inventory > MAX_TEMPLATE_INVENTORY) return bytes;
  const oldest = templates.keys().next();
  if (templates.size >= MAX_TEMPLATES && !oldest.done) templates.delete(oldest.value);
  templates.set(`${inventory}\n${seed}`, bytes);
  return bytes;
}

/** Returns the bytes of a newly seeded database. */
export function seedTemplate(
  seedInventory: SeedInventory,
  seed: string,
  inventory: number,
): Buffer {
  const store = openMemoryStore();
  store.client.transaction(() => seedInventory(store, seed, inventory))();
  const bytes = serializeStore(store);
  closeStore(store);
  return bytes;
}

/** Name of the file in which a build ships a template. */
export function shippedTemplateName(seed: string, inventory: number): string {
  return `world-${seed}-${inventory}.db`;
}

/**
 * Returns the template that was built with this copy of sandlot. It equals the seeded one to the byte. A file that has
 * changed while the process runs is ignored: it may belong to another version.
 * @param dir folder of the code
 */
export function shippedTemplate(
  seed: string,
  inventory: number,
  dir = import.meta.dirname,
): Buffer | undefined {
  if (!/^[a-z0-9-]+$/.test(seed)) return undefined;
  const file = path.join(dir, shippedTemplateName(seed, inventory));
  if (!fs.existsSync(file)) return undefined;
  const bytes = fs.readFileSync(file);
  return fs.statSync(file).ctimeMs < performance.timeOrigin ? bytes : undefined;
}
