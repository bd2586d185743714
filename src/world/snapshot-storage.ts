import fs from 'node:fs';
import path from 'node:path';
import { assertUndamaged, readFromFile } from '../store/check-file.ts';
import {
  deleteTemporaryFiles,
  removeDatabaseFile,
  replaceAtomically,
  temporaryFile,
} from '../store/database-file.ts';
import {
  alterWhole,
  type Client,
  closeStore,
  openMemoryStore,
  type Store,
  serializeStore,
  writeDatabaseFile,
} from '../store/open.ts';
import { makePrivateFolder } from '../store/private-files.ts';
import { worldFile, worldNamesIn } from './files.ts';

/** Where snapshots are kept, by world and name. */
export interface SnapshotStorage {
  /** In order. */
  names(world: string): string[];
  /** Keeps the database `bytes` as `alter` leaves it, whole or not at all, in place of one of that name. */
  put(world: string, name: string, bytes: Buffer, alter: (store: Store) => void): void;
  sizeOf(world: string, name: string): number;
  /** @throws UnusableStateError when it cannot be read */
  metadataOf(world: string, name: string): SnapshotMetadata;
  /** The database, known to be usable. @throws UnusableStateError when it is not */
  take(world: string, name: string): Buffer;
  remove(world: string, name: string): void;
  removeAll(world: string): void;
}

/** Snapshots that end with the process. */
export function memoryStorage(): SnapshotStorage {
  const worlds = new Map<string, Map<string, { bytes: Buffer; card: SnapshotMetadata }>>();
  const require = (world: string, name: string) => {
    const kept = worlds.get(world)?.get(name);
    if (kept) return kept;
    throw new Error(`there is no snapshot ${name} of ${world}`);
  };
  return {
    names: (world) => [...(worlds.get(world)?.keys() ?? [])].sort(),
    put(world, name, bytes, alter) {
      const store = openMemoryStore(bytes);
      try {
        alterWhole(store, alter);
        const storage = worlds.get(world) ?? new Map();
        storage.set(name, { bytes: serializeStore(store), card: readMetadata(store.client) });
        worlds.set(world, storage);
      } finally {
        closeStore(store);
      }
    },
    sizeOf: (world, name) => require(world, name).bytes.length,
    metadataOf: (world, name) => require(world, name).card,
    take: (world, name) => require(world, name).bytes,
    remove: (world, name) => worlds.get(world)?.delete(name),
    removeAll: (world) => worlds.delete(world),
  };
}

const RECOVERY_HINTS = {
  damaged: 'Delete the snapshot, or put a good copy of the file in its place.',
  foreign: 'Delete the snapshot, or put a good copy of the file in its place.',
  newer: 'Use that version, or delete the snapshot.',
  older: 'Delete the snapshot.',
};

/** Snapshots as files: `<dir>/<world>/<name>.db`. Removes what a kill has left of one that was being saved. */
export function folderStorage(dir: string): SnapshotStorage {
  for (const world of foldersIn(dir)) deleteTemporaryFiles(path.join(dir, world));
  const folderOf = (world: string) => path.join(dir, world);
  const fileOf = (world: string, name: string) => worldFile(folderOf(world), name);
  return {
    names: (world) => worldNamesIn(folderOf(world)),
    put(world, name, bytes, alter) {
      const file = fileOf(world, name);
      makePrivateFolder(dir);
      makePrivateFolder(folderOf(world));
      writeDatabaseFile(temporaryFile(file), bytes, 'DELETE', alter);
      replaceAtomically(file);
    },
    sizeOf: (world, name) => fs.statSync(fileOf(world, name)).size,
    metadataOf: (world, name) => readFromFile(fileOf(world, name), readMetadata, RECOVERY_HINTS),
    take(world, name) {
      const file = fileOf(world, name);
      assertUndamaged(file, RECOVERY_HINTS);
      return fs.readFileSync(file);
    },
    remove: (world, name) => removeDatabaseFile(fileOf(world, name)),
    removeAll: (world) => fs.rmSync(folderOf(world), { recursive: true, force: true }),
  };
}

function foldersIn(dir: string): string[] {
  if (!fs.existsSync(dir)) return [];
  return fs
    .readdirSync(dir, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}

/** What a snapshot says of itself. */
export interface SnapshotMetadata {
  /** Real time of saving, Unix ms. */
  savedAt: number;
  /** Where the sandbox clock stood then, Unix ms. */
  clockMs: number;
  /** Whether it was frozen there. */
  frozen: boolean;
}

/** Plain SQL, so that a snapshot of another version is read as it lies there. */
const CARD = 'SELECT saved_at, clock_offset_ms, clock_frozen_at FROM world';

/** @throws Error when it says nothing sensible */
export function readMetadata(client: Client): SnapshotMetadata {
  const row = client.prepare(CARD).raw().get();
  const [savedAt = Number.NaN, offsetMs = Number.NaN, frozenAt = 0] = Array.isArray(row)
    ? row.map(Number)
    : [];
  const frozen = frozenAt !== 0;
  const clockMs = frozen ? frozenAt : savedAt + offsetMs;
  if (!isTime(savedAt) || !isTime(clockMs)) throw new Error('it does not say when it was saved');
  return { savedAt, clockMs, frozen };
}

function isTime(ms: number): boolean {
  return !Number.isNaN(new Date(ms).getTime());
}
