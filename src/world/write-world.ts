import { removeDatabaseFile, replaceAtomically, temporaryFile } from '../store/database-file.ts';
import {
  alterDatabaseFile,
  closeStore,
  migrateInTransaction,
  openMemoryStore,
  openTrusted,
  type Store,
  writeDatabaseFile,
} from '../store/open.ts';
import { worldFile } from './files.ts';

/** A new database of a world, complete, which has not replaced the old one yet. */
export interface NewStore {
  /** Puts it in place and opens it. The file of the old one must be closed. */
  open(): Store;
  discard(): void;
}

/**
 * Writes a new database of a world.
 * @param dir folder of the world files; undefined keeps it in memory
 * @param from the database as bytes, or a temporary file that holds it and that this takes over
 * @param alter changes it in one transaction; if it throws, nothing is left
 */
export function writeWorld(
  dir: string | undefined,
  name: string,
  from: Buffer | string,
  alter: (store: Store) => void,
): NewStore {
  if (dir === undefined) return writeInMemory(from as Buffer, alter);
  const file = worldFile(dir, name);
  const temporary = typeof from === 'string' ? from : temporaryFile(file);
  if (typeof from === 'string') alterDatabaseFile(temporary, 'WAL', alter);
  else writeDatabaseFile(temporary, from, 'WAL', alter);
  return {
    open() {
      replaceAtomically(file, temporary);
      return openTrusted(file);
    },
    discard: () => removeDatabaseFile(temporary),
  };
}

function writeInMemory(bytes: Buffer, alter: (store: Store) => void): NewStore {
  const store = openMemoryStore(bytes);
  const discard = () => closeStore(store);
  try {
    migrateInTransaction(store, alter);
  } catch (error) {
    discard();
    throw error;
  }
  return { open: () => store, discard };
}
