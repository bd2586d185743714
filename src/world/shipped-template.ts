import fs from 'node:fs';
import path from 'node:path';

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
