import fs from 'node:fs';
import path from 'node:path';

const SUFFIX = '.db';

/** Lower case only: two worlds must not share a file where the file system folds case. */
export function isWorldName(name: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,62}$/.test(name);
}

export function worldFile(dir: string, name: string): string {
  return path.join(dir, `${name}${SUFFIX}`);
}

/** Names of the worlds that have a file in `dir`. */
export function worldNamesIn(dir: string): string[] {
  if (!fs.existsSync(dir)) return [];
  return fs
    .readdirSync(dir)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length))
    .filter(isWorldName)
    .sort();
}
