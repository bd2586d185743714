import { replaceAtomically, temporaryFile } from '../store/database-file.ts';
import {
  alterWhole,
  closeStore,
  openMemoryStore,
  openOwnFileStore,
  type Store,
  writeDatabaseFile,
} from '../store/open.ts';
import { worldFile } from './files.ts';

/**
 * Makes a world's database of `bytes` and `alter`, whole or not at all, beside the one that is there. What is
 * returned puts it in its place and opens it.
 * @param dir folder of the world files; undefined keeps it in memory
 */
export function writeWorld(
  dir: string | undefined,
  name: string,
  bytes: Buffer,
  alter: (store: Store) => void,
): () => Store {
  if (dir === undefined) return writeInMemory(bytes, alter);
  const file = worldFile(dir, name);
  writeDatabaseFile(temporaryFile(file), bytes, 'WAL', alter);
  return () => {
    replaceAtomically(file);
    return openOwnFileStore(file);
  };
}

function writeInMemory(bytes: Buffer, alter: (store: Store) => void): () => Store {
  const store = openMemoryStore(bytes);
  try {
    alterWhole(store, alter);
  } catch (error) {
    closeStore(store);
    throw error;
  }
  return () => store;
}
