import fs from 'node:fs';
import path from 'node:path';
import { assertUndamaged, assertUsable, readFromFile } from '../store/check-file.ts';
import {
  backgroundFile,
  deleteTemporaryFiles,
  removeDatabaseFile,
  replaceAtomically,
  temporaryFile,
} from '../store/database-file.ts';
import {
  alterDatabaseFile,
  type Client,
  closeStore,
  migrateInTransaction,
  openMemoryStore,
  type Store,
  serializeStore,
  writeDatabaseFile,
} from '../store/open.ts';
import { makePrivateFolder } from '../store/private-files.ts';
import { isLarge } from './background.ts';
import { worldFile, worldNamesIn } from './files.ts';

/** Stores snapshots by world and name. */
export interface SnapshotStorage {
  /** In order. */
  names(world: string): string[];
  /** Path where a background job writes a large snapshot. */
  backgroundFile(world: string, name: string): string;
  /** Stores a database, from bytes or that path, after `alter` has changed it. Replaces a snapshot of that name. */
  put(world: string, name: string, from: Buffer | string, alter: (store: Store) => void): void;
  sizeOf(world: string, name: string): number;
  /** @throws UnusableStateError if it cannot be read */
  metadataOf(world: string, name: string): SnapshotMetadata;
  /**
   * @returns the database, or its file if it is large; a job that copies the file looks for damage
   * @throws UnusableStateError if it cannot be used
   */
  take(world: string, name: string): Buffer | string;
  remove(world: string, name: string): void;
  removeAll(world: string): void;
}

/** Keeps snapshots in memory. */
export function memoryStorage(): SnapshotStorage {
  const worlds = new Map<string, Map<string, { bytes: Buffer; metadata: SnapshotMetadata }>>();
  const require = (world: string, name: string) => {
    const kept = worlds.get(world)?.get(name);
    if (kept) return kept;
    throw new Error(`snapshot ${name} of ${world} not found`);
  };
  return {
    backgroundFile() {
      throw new Error('a snapshot in memory has no file');
    },
    names: (world) => [...(worlds.get(world)?.keys() ?? [])].sort(),
    put(world, name, from, alter) {
      const store = openMemoryStore(from as Buffer);
      try {
        migrateInTransaction(store, alter);
        const storage = worlds.get(world) ?? new Map();
        storage.set(name, { bytes: serializeStore(store), metadata: readMetadata(store.client) });
        worlds.set(world, storage);
      } finally {
        closeStore(store);
      }
    },
    sizeOf: (world, name) => require(world, name).bytes.length,
    metadataOf: (world, name) => require(world, name).metadata,
    take: (world, name) => require(world, name).bytes,
    remove: (world, name) => worlds.get(world)?.delete(name),
    removeAll: (world) => worlds.delete(world),
  };
}

/** Recovery hints of snapshots, by problem. */
export const RECOVERY_HINTS = {
  damaged: 'Delete the snapshot, or put a good copy of the file in its place.',
  foreign: 'Delete the snapshot, or put a good copy of the file in its place.',
  newer: 'Use that version, or delete the snapshot.',
  older: 'Delete the snapshot.',
};

/** Stores snapshots as `<dir>/<world>/<name>.db`. Removes temporary files that a kill has left. */
export function folderStorage(dir: string): SnapshotStorage {
  for (const world of foldersIn(dir)) deleteTemporaryFiles(path.join(dir, world));
  const folderOf = (world: string) => path.join(dir, world);
  const fileOf = (world: string, name: string) => worldFile(folderOf(world), name);
  return {
    names: (world) => worldNamesIn(folderOf(world)),
    backgroundFile(world, name) {
      makePrivateFolder(dir);
      makePrivateFolder(folderOf(world));
      return backgroundFile(fileOf(world, name));
    },
    put(world, name, from, alter) {
      const file = fileOf(world, name);
      if (typeof from === 'string') {
        alterDatabaseFile(from, 'DELETE', alter);
        return replaceAtomically(file, from);
      }
      makePrivateFolder(dir);
      makePrivateFolder(folderOf(world));
      writeDatabaseFile(temporaryFile(file), from, 'DELETE', alter);
      replaceAtomically(file);
    },
    sizeOf: (world, name) => fs.statSync(fileOf(world, name)).size,
    metadataOf: (world, name) => readFromFile(fileOf(world, name), readMetadata, RECOVERY_HINTS),
    take(world, name) {
      const file = fileOf(world, name);
      if (isLarge(fs.statSync(file).size)) {
        assertUsable(file, RECOVERY_HINTS);
        return file;
      }
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

/** When a snapshot was saved. */
export interface SnapshotMetadata {
  /** Real time of saving, Unix ms. */
  savedAt: number;
  /** Sandbox time at that moment, Unix ms. */
  clockMs: number;
  /** Whether the clock was frozen. */
  frozen: boolean;
}

/** Plain SQL, which also reads snapshots of other versions. */
const METADATA = 'SELECT saved_at, clock_offset_ms, clock_frozen_at FROM world';

/** @throws Error for invalid metadata */
function readMetadata(client: Client): SnapshotMetadata {
  const row = client.prepare(METADATA).raw().get();
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
