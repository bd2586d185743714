import { removeDatabaseFile } from '../store/database-file.ts';
import { closeStore, openFileStore, type Store } from '../store/open.ts';
import { worldFile, worldNamesIn } from './files.ts';
import { isFounded } from './world.ts';

/**
 * Opens the databases of all worlds in a folder, all or none: where one is refused, nothing has begun in the
 * others.
 * @param onUpgrade told, with its name, before a world of an older sandlot is brought up to date
 * @throws StateRefusedError
 */
export function openExisting(
  dir: string,
  onUpgrade: ((world: string) => void) | undefined,
): Map<string, Store> {
  const stores = new Map<string, Store>();
  try {
    for (const name of worldNamesIn(dir)) {
      stores.set(
        name,
        openFileStore(worldFile(dir, name), () => onUpgrade?.(name)),
      );
    }
  } catch (error) {
    for (const store of stores.values()) closeStore(store);
    throw error;
  }
  for (const [name, store] of stores) {
    if (isFounded(store)) continue;
    // A database of ours in which no world was founded: nobody was ever answered from it.
    stores.delete(name);
    closeStore(store);
    removeDatabaseFile(worldFile(dir, name));
  }
  return stores;
}
