import fs from 'node:fs';
import Database from 'better-sqlite3';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import { assertUsable, damagedState } from './check-file.ts';
import { isUnclosed, removeDatabaseFile } from './database-file.ts';
import { migrate } from './migrate.ts';
import { PRIVATE_FILE } from './private-files.ts';
import { findMissing } from './schema/tables.ts';

export type Client = Database.Database;
export type Db = BetterSQLite3Database & { $client: Client };

export interface Store {
  client: Client;
  db: Db;
  /** Undefined for a world in memory. */
  file: string | undefined;
}

/** Opens a world in memory, empty or from the serialized database `bytes`. */
export function openMemoryStore(bytes?: Buffer): Store {
  const client = new Database(bytes ?? ':memory:');
  return prepare(client, undefined);
}

/**
 * Opens a world file, with a write-ahead log. Reads all of a file that was not closed.
 * @param onUpgrade called before a database of an older version is migrated, which may take seconds
 * @throws UnusableStateError if the file is corrupt, incomplete, or written by another program or a newer version; it
 * is not changed then
 */
export function openFileStore(file: string, onUpgrade?: () => void): Store {
  assertUsable(file, isUnclosed(file));
  const client = new Database(file);
  try {
    const store = prepare(client, file, onUpgrade);
    const missing = findMissing(client);
    if (missing !== undefined) throw damagedState(file, missing);
    return store;
  } catch (error) {
    client.close();
    throw isDamage(error) ? damagedState(file, error.message) : error;
  }
}

export function isDamage(error: unknown): error is Error {
  return error instanceof Database.SqliteError && MEANS_DAMAGE.test(error.code);
}

/** SQLITE_ERROR: a damaged table definition may still be valid SQL. SQLITE_READONLY: a header says so, and the file is writable. */
const MEANS_DAMAGE = /^SQLITE_(?:CORRUPT.*|ERROR.*|NOTADB|READONLY)$/;

/** Opens a world file that this process has written, without checking it. */
export function openTrusted(file: string): Store {
  return prepare(new Database(file), file);
}

/**
 * Writes the database `bytes` to a new file and lets `alter` change it in one transaction. If that fails, no file is
 * left.
 * @param journal journal mode of the finished file
 */
export function writeDatabaseFile(
  file: string,
  bytes: Buffer,
  journal: 'WAL' | 'DELETE',
  alter: (store: Store) => void,
): void {
  try {
    // Also removes the journal of a file that a kill has left.
    removeDatabaseFile(file);
    fs.writeFileSync(file, bytes, { mode: PRIVATE_FILE });
    const client = new Database(file);
    try {
      // The file need not survive a crash before it is used.
      client.pragma('journal_mode = MEMORY');
      client.pragma('synchronous = OFF');
      alterInTransaction(configured(client, undefined), alter);
      client.pragma(`journal_mode = ${journal}`);
    } finally {
      client.close();
    }
  } catch (cause) {
    try {
      removeDatabaseFile(file);
    } catch {}
    throw cause;
  }
}

export function alterInTransaction(store: Store, alter: (store: Store) => void): void {
  store.client.transaction(() => alter(store))();
}

/** Bytes 18 and 19 of a database, the versions needed to write and to read it: with a rollback journal, or with WAL. */
const ROLLBACK_FORMAT = Buffer.from([1, 1]);
const FORMAT_OFFSET = 18;

/** Converts the bytes of a database in WAL mode, which cannot be opened from memory, to those of a single file. */
export function asSingleFile(bytes: Buffer): Buffer {
  bytes.set(ROLLBACK_FORMAT, FORMAT_OFFSET);
  return bytes;
}

/** Closes the database and moves its write-ahead log into the file. */
export function closeStore(store: Store): void {
  store.client.close();
}

/** Closes a database that is about to be replaced: the disk need not have it yet. */
export function closeBeforeReplace(store: Store): void {
  store.client.pragma('synchronous = OFF');
  closeStore(store);
}

/** Returns the database as bytes for `openMemoryStore` or a file. */
export function serializeStore(store: Store): Buffer {
  return asSingleFile(store.client.serialize());
}

/** A kill loses nothing; a power failure may lose the last commits. */
const SYNCHRONOUS = 'synchronous = NORMAL';

function prepare(client: Client, file: string | undefined, onUpgrade?: () => void): Store {
  if (file !== undefined) client.pragma('journal_mode = WAL');
  client.pragma(SYNCHRONOUS);
  return configured(client, file, onUpgrade);
}

function configured(client: Client, file: string | undefined, onUpgrade?: () => void): Store {
  migrate(client, onUpgrade);
  client.pragma('foreign_keys = ON');
  return { client, db: drizzle({ client }), file };
}
