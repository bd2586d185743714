import fs from 'node:fs';
import path from 'node:path';
import { closeStore, openMemoryStore, type Store, serializeStore } from '../store/open.ts';

/** Fills an empty world database with what every fresh world of that seed and size holds. */
export type SeedInventory = (store: Store, seed: string, inventory: number) => void;

const KEPT = 4;
const templates = new Map<string, Buffer>();

/**
 * The bytes of a freshly seeded world database. Seeding costs milliseconds, copying does not, so the last
 * few are kept for resets, further worlds and test sandboxes; the one that is shipped is a file anyway.
 */
export function seededTemplate(
  seedInventory: SeedInventory,
  seed: string,
  inventory: number,
): Buffer {
  const shipped = shippedTemplate(seed, inventory);
  if (shipped) return shipped;
  const name = `${inventory}\n${seed}`;
  const known = templates.get(name);
  if (known) return known;
  const bytes = seedTemplate(seedInventory, seed, inventory);
  const oldest = templates.keys().next();
  if (templates.size >= KEPT && !oldest.done) templates.delete(oldest.value);
  templates.set(name, bytes);
  return bytes;
}

/** Seeds a world from nothing, whatever is cached or shipped. */
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

/** Name of the file in which a build keeps a seeded world beside its code. */
export function shippedTemplateName(seed: string, inventory: number): string {
  return `world-${seed}-${inventory}.db`;
}

/**
 * The world that was seeded when this copy of sandlot was built, so that a first start copies instead of
 * seeding. It is the same world to the byte; run from source, or with another seed, there is none. Nor is there
 * one once the file has changed under the running process: it may be that of another version.
 * @param dir where the code lies
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
