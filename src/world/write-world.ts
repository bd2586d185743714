import { removeDatabaseFile, replaceAtomically, temporaryFile } from '../store/database-file.ts';
import {
  alterInTransaction,
  closeStore,
  openMemoryStore,
  openTrusted,
  type Store,
  writeDatabaseFile,
} from '../store/open.ts';
import { worldFile } from './files.ts';

/** A new database of a world, complete, which has not replaced the old one yet. */
export interface NewStore {
  /** Whether its inventory can be generated again from its seed. */
  isFresh?: boolean;
  /** Replaces the old database, whose file must be closed, and opens the new one. */
  open(): Store;
  discard(): void;
}

/**
 * Writes a new database of a world beside the old one, which `open` replaces.
 * @param dir folder of the world files; undefined keeps it in memory
 * @param alter changes `bytes` in one transaction; if it throws, nothing is left
 */
export function writeWorld(
  dir: string | undefined,
  name: string,
  bytes: Buffer,
  alter: (store: Store) => void,
): NewStore {
  if (dir === undefined) {
    const store = openMemoryStore(bytes);
    const discard = () => closeStore(store);
    try {
      alterInTransaction(store, alter);
    } catch (error) {
      discard();
      throw error;
    }
    return { open: () => store, discard };
  }
  const file = worldFile(dir, name);
  writeDatabaseFile(temporaryFile(file), bytes, 'WAL', alter);
  return {
    open() {
      replaceAtomically(file);
      return openTrusted(file);
    },
    discard: () => removeDatabaseFile(temporaryFile(file)),
  };
}
