import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { assertUsable, readFromFile } from '../store/check-file.ts';
import {
  deleteTemporaryFiles,
  removeDatabaseFile,
  replaceAtomically,
  temporaryFile,
} from '../store/database-file.ts';
import {
  alterInTransaction,
  type Client,
  closeStore,
  openMemoryStore,
  type Store,
  serializeStore,
  writeDatabaseFile,
} from '../store/open.ts';
import { makePrivateFolder } from '../store/private-files.ts';
import { worldFile, worldNamesIn } from './files.ts';

/** Stores snapshots by world and name. */
export interface SnapshotStorage {
  /** In order. */
  names(world: string): string[];
  /** Stores a database after `alter` has changed it. Replaces a snapshot of that name. */
  put(world: string, name: string, bytes: Buffer, alter: (store: Store) => void): void;
  sizeOf(world: string, name: string): number;
  /** @throws UnusableStateError if it cannot be read */
  metadataOf(world: string, name: string): SnapshotMetadata;
  /** Returns the database. @throws UnusableStateError if it cannot be used */
  take(world: string, name: string): Buffer;
  remove(world: string, name: string): void;
  removeAll(world: string): void;
}

/** Keeps snapshots in memory. */
export function memoryStorage(): SnapshotStorage {
  const worlds = new Map<string, Map<string, Buffer>>();
  const take = (world: string, name: string) => {
    const bytes = worlds.get(world)?.get(name);
    if (bytes) return bytes;
    throw new Error(`snapshot ${name} of ${world} not found`);
  };
  return {
    names: (world) => [...(worlds.get(world)?.keys() ?? [])].sort(),
    put(world, name, bytes, alter) {
      const store = openMemoryStore(bytes);
      try {
        alterInTransaction(store, alter);
        worlds.set(world, (worlds.get(world) ?? new Map()).set(name, serializeStore(store)));
      } finally {
        closeStore(store);
      }
    },
    sizeOf: (world, name) => take(world, name).length,
    metadataOf(world, name) {
      const client = new Database(take(world, name));
      try {
        return readMetadata(client);
      } finally {
        client.close();
      }
    },
    take,
    remove: (world, name) => worlds.get(world)?.delete(name),
    removeAll: (world) => worlds.delete(world),
  };
}

/** Recovery hints of snapshots, by problem. */
const RECOVERY_HINTS = {
  damaged: 'Delete the snapshot, or put a good copy of the file in its place.',
  foreign: 'Delete the snapshot, or put a good copy of the file in its place.',
  newer: 'Use that version, or delete the snapshot.',
};

/** Stores snapshots as `<dir>/<world>/<name>.db`. Removes temporary files that a kill has left. */
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
      assertUsable(file, true, RECOVERY_HINTS);
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
