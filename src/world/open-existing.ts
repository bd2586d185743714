import { damagedState } from '../store/check-file.ts';
import { deleteTemporaryFiles, removeDatabaseFile } from '../store/database-file.ts';
import { explainDiskFull } from '../store/disk-full.ts';
import { hasRows } from '../store/expected-schema.ts';
import { closeStore, openFileStore, type Store } from '../store/open.ts';
import { UnusableStateError } from '../store/unusable-state.ts';
import { worldFile, worldNamesIn } from './files.ts';
import { hasWorldRow } from './world.ts';

interface OpenExistingOptions {
  /** Opened first, so that nothing has begun when it cannot be used. */
  required: string;
  /** Called before a world of an older sandlot is brought up to date. */
  onUpgrade: ((world: string) => void) | undefined;
  /** Called with each database as soon as it is open: there may be more than can be open at once. */
  onOpen(world: string, store: Store): void;
}

/**
 * Opens the databases of all worlds in a folder. One that cannot be used does not keep the others from being
 * opened, unless it is `required`.
 * @returns why a file cannot be used, by the name of its world; the file is left as it was
 * @throws UnusableStateError when `required` cannot be used; an error of the disk when that is full
 */
export function openExisting(
  dir: string,
  { required, onUpgrade, onOpen }: OpenExistingOptions,
): Map<string, string> {
  const unusable = new Map<string, string>();
  const names = worldNamesIn(dir);
  for (const name of [required, ...names.filter((each) => each !== required)]) {
    if (!names.includes(name)) continue;
    let store: Store | undefined;
    try {
      store = openComplete(worldFile(dir, name), () => onUpgrade?.(name));
    } catch (error) {
      if (name === required || explainDiskFull(error) !== undefined) throw error;
      unusable.set(name, reasonOf(error));
    }
    if (store) onOpen(name, store);
  }
  deleteTemporaryFiles(dir);
  return unusable;
}

/** @returns undefined for a database of ours without a single row, which is removed: nothing is in it to keep */
function openComplete(file: string, onUpgrade: () => void): Store | undefined {
  const store = openFileStore(file, onUpgrade);
  if (hasWorldRow(store)) return store;
  const filled = hasRows(store.client);
  closeStore(store);
  if (filled) throw damagedState(file, 'its row in table world is missing');
  removeDatabaseFile(file);
  return undefined;
}

function reasonOf(error: unknown): string {
  if (error instanceof UnusableStateError) return error.message;
  return `It cannot be opened (${error instanceof Error ? error.message : error}).`;
}
