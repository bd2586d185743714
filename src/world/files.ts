import fs from 'node:fs';
import path from 'node:path';
import { validationError } from '../kernel/errors.ts';

/** Always exists. */
export const DEFAULT_WORLD = 'default';

const SUFFIX = '.db';

/** Lower case only: two worlds, or snapshots, must not share a file where the file system folds case. */
export function isValidName(name: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,62}$/.test(name);
}

/** @throws validation_error for a name that neither a world nor a snapshot can have */
export function assertValidName(name: string): void {
  if (isValidName(name)) return;
  throw validationError(
    'name: must be lower-case letters, digits, "-" and "_", at most 63, starting with a letter or digit',
  );
}

export function worldFile(dir: string, name: string): string {
  return path.join(dir, `${name}${SUFFIX}`);
}

/** Names of the worlds, or of one world's snapshots, that have a file in `dir`, in order. */
export function namesIn(dir: string): string[] {
  if (!fs.existsSync(dir)) return [];
  return fs
    .readdirSync(dir)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length))
    .filter(isValidName)
    .sort();
}
