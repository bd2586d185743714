import fs from 'node:fs';
import path from 'node:path';

/** Name of the file in which a build keeps a seeded world beside its code. */
export function shippedTemplateName(seed: string, inventory: number): string {
  return `world-${seed}-${inventory}.db`;
}

/**
 * The world that was seeded when this copy of sandlot was built, so that a first start copies instead of
 * seeding. It is the same world to the byte; run from source, or with another seed, there is none.
 */
export function shippedTemplate(seed: string, inventory: number): Buffer | undefined {
  if (!/^[a-z0-9-]+$/.test(seed)) return undefined;
  const file = path.join(import.meta.dirname, shippedTemplateName(seed, inventory));
  return fs.existsSync(file) ? fs.readFileSync(file) : undefined;
}
