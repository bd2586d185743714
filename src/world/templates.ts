import fs from 'node:fs';
import path from 'node:path';
import { closeStore, openMemoryStore, type Store, serializeStore } from '../store/open.ts';

/** Adds to an empty database what every fresh world of this seed and size contains. 20,000 domains take about a second. */
export type SeedInventory = (store: Store, seed: string, inventory: number) => void;

/** Returns the bytes of a newly seeded database. */
export function seedTemplate(seed: string, inventory: number, seeder: SeedInventory): Buffer {
  const store = openMemoryStore();
  store.client.transaction(() => seeder(store, seed, inventory))();
  const bytes = serializeStore(store);
  closeStore(store);
  return bytes;
}

/** Largest inventory whose template is kept in memory, about 75 MB. */
const MAX_TEMPLATE_INVENTORY = 200_000;
const MAX_TEMPLATES = 4;
const templates = new Map<string, Buffer>();

/** Returns the bytes of a seeded database: shipped, one of the last in memory, or new, which takes much longer. */
export function loadTemplate(seed: string, inventory: number, seeder: SeedInventory): Buffer {
  const key = `${inventory}\n${seed}`;
  const template = shippedTemplate(seed, inventory) ?? templates.get(key);
  if (template) return template;
  const bytes = seedTemplate(seed, inventory, seeder);
  if (inventory > MAX_TEMPLATE_INVENTORY) return bytes;
  const oldest = templates.keys().next();
  if (templates.size >= MAX_TEMPLATES && !oldest.done) templates.delete(oldest.value);
  templates.set(key, bytes);
  return bytes;
}

/** Name of the file in which a build ships a template. */
export function shippedTemplateName(seed: string, inventory: number): string {
  return `world-${seed}-${inventory}.db`;
}

/**
 * Returns the template that was built with this copy of sandlot. It equals the seeded one to the byte.
 * @param dir folder of the code
 */
export function shippedTemplate(
  seed: string,
  inventory: number,
  dir = import.meta.dirname,
): Buffer | undefined {
  // A seed can be any text, also the path of another file.
  if (!/^[a-z0-9-]+$/.test(seed)) return undefined;
  const file = path.join(dir, shippedTemplateName(seed, inventory));
  return fs.existsSync(file) ? fs.readFileSync(file) : undefined;
}
