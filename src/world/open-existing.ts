import { damagedState } from '../store/check-file.ts';
import { deleteTemporaryFiles } from '../store/database-file.ts';
import { explainDiskFull, UnusableStateError } from '../store/errors.ts';
import { closeStore, openFileStore, type Store } from '../store/open.ts';
import { worldFile, worldNamesIn } from './files.ts';
import { hasWorldRow } from './world-tx.ts';

interface OpenExistingOptions {
  /** Name of the world that is opened first; if it is unusable, no other is opened. */
  required: string;
  /** Called before a world of an older version is migrated. */
  onUpgrade: ((world: string) => void) | undefined;
  /** Called with each database right after it was opened; more may exist than can be open at once. */
  onOpen(world: string, store: Store): void;
}

/**
 * Opens the databases of all worlds in a folder, and skips unusable ones except `required`.
 * @returns the problem of each unusable file, by world; the file is left unchanged
 * @throws UnusableStateError if `required` is unusable; the error of SQLite if the disk is full
 */
export function openExisting(
  dir: string,
  { required, onUpgrade, onOpen }: OpenExistingOptions,
): Map<string, string> {
  const unusable = new Map<string, string>();
  const names = worldNamesIn(dir);
  for (const name of [required, ...names.filter((worldName) => worldName !== required)]) {
    if (!names.includes(name)) continue;
    const file = worldFile(dir, name);
    let store: Store | undefined;
    try {
      store = openFileStore(file, () => onUpgrade?.(name));
      if (!hasWorldRow(store)) throw damagedState(file, 'its row in table world is missing');
    } catch (error) {
      if (store) closeStore(store);
      if (name === required || explainDiskFull(error) !== undefined) throw error;
      unusable.set(name, reasonOf(error));
      continue;
    }
    onOpen(name, store);
  }
  deleteTemporaryFiles(dir);
  return unusable;
}

function reasonOf(error: unknown): string {
  if (error instanceof UnusableStateError) return error.message;
  return `It cannot be opened (${error instanceof Error ? error.message : error}).`;
}
