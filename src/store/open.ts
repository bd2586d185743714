import fs from 'node:fs';
import Database from 'better-sqlite3';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import { assertUsable, damagedState } from './check-file.ts';
import { removeDatabaseFile } from './database-file.ts';
import { findMissing } from './expected-schema.ts';
import { migrate } from './migrate.ts';
import { makePrivateFile, PRIVATE_FILE } from './private-files.ts';

export type Client = Database.Database;
export type Db = BetterSQLite3Database & { $client: Client };

/** One open world database. */
export interface Store {
  client: Client;
  db: Db;
  /** Undefined for a world in memory. */
  file: string | undefined;
}

/** A world in memory, empty or holding the serialized database `bytes`. */
export function openMemoryStore(bytes?: Buffer): Store {
  const client = new Database(bytes ?? ':memory:');
  return prepare(client, undefined);
}

/**
 * Opens or creates a world file: write-ahead log, so that what was acknowledged survives a kill.
 * @throws UnusableStateError when the file is corrupt, lacks a table or column, is of another program or of a
 * newer sandlot; the file is then left as it was
 * @param onUpgrade told before the state of an older sandlot is brought up to date, which may take seconds
 */
export function openFileStore(file: string, onUpgrade?: () => void): Store {
  if (!fs.existsSync(file)) {
    makePrivateFile(file);
    return prepare(new Database(file), file);
  }
  assertUsable(file);
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

/** Whether opening a database failed because of what it holds. */
export function isDamage(error: unknown): error is Error {
  return error instanceof Database.SqliteError && MEANS_DAMAGE.test(error.code);
}

/** A table's definition may have been changed into another that is well formed. */
const MEANS_DAMAGE = /^SQLITE_(?:CORRUPT|ERROR|NOTADB)/;

/** Opens a connection that keeps reading a world file as it is now, while others write to it. */
export function openReader(file: string): Client {
  const client = new Database(file, { readonly: true, fileMustExist: true });
  try {
    client.exec('BEGIN');
    // The transaction begins with its first read.
    client.prepare('SELECT count(*) FROM sqlite_schema').get();
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

/** Opens a world file that was made here a moment ago, without asking whether it may be used. */
export function openOwnFileStore(file: string): Store {
  return prepare(new Database(file), file);
}

/**
 * Writes the database `bytes` to a file that nothing reads yet, and lets `alter` change it there in one
 * transaction. When that fails, no file is left.
 * @param journal the mode that the finished file is in, so that whoever opens it next need not change it first
 */
export function writeDatabaseFile(
  file: string,
  bytes: Uint8Array,
  journal: 'WAL' | 'DELETE',
  alter: (store: Store) => void,
): void {
  try {
    // Also the journal of one that a kill has left here.
    removeDatabaseFile(file);
    fs.writeFileSync(file, bytes, { mode: PRIVATE_FILE });
    alterDatabaseFile(file, journal, alter);
  } catch (cause) {
    discard(file);
    throw cause;
  }
}

/** Lets `alter` change a file that nothing else reads, in one transaction. @param journal as of `writeDatabaseFile` */
export function alterDatabaseFile(
  file: string,
  journal: 'WAL' | 'DELETE',
  alter: (store: Store) => void,
): void {
  const client = new Database(file);
  try {
    // What nobody has been told of need not survive anything.
    client.pragma('journal_mode = MEMORY');
    client.pragma('synchronous = OFF');
    alterWhole(configured(client, undefined), alter);
  } finally {
    client.close();
  }
  if (journal === 'WAL') setJournalMode(file, WAL_FORMAT);
}

/** Bytes 18 and 19 of a database, the versions needed to write and to read it: with a rollback journal, or with WAL. */
const ROLLBACK_FORMAT = Buffer.from([1, 1]);
const WAL_FORMAT = Buffer.from([2, 2]);
const FORMAT_OFFSET = 18;

/** Makes a closed file that was copied from one in WAL mode a file of its own, which any SQLite can open. */
export function leaveWalMode(file: string): void {
  setJournalMode(file, ROLLBACK_FORMAT);
}

/** Says in a closed file which journal mode it is in. */
function setJournalMode(file: string, format: Buffer): void {
  const handle = fs.openSync(file, 'r+');
  try {
    fs.writeSync(handle, format, 0, format.length, FORMAT_OFFSET);
  } finally {
    fs.closeSync(handle);
  }
}

/** Why the file could not be written is what counts, not that it cannot be removed either. */
function discard(file: string): void {
  try {
    removeDatabaseFile(file);
  } catch {}
}

/** Runs `alter` in one transaction. */
export function alterWhole(store: Store, alter: (store: Store) => void): void {
  store.client.transaction(() => alter(store))();
}

/** Closes the database; what the write-ahead log holds goes into the file. */
export function closeStore(store: Store): void {
  store.client.close();
}

/**
 * Moves what the write-ahead log holds into the file, so that the log is written from its beginning again.
 * @throws when a full disk has no room for that; everything is still in the log then
 */
export function emptyLog({ client, file }: Store): void {
  if (file !== undefined) client.pragma('wal_checkpoint(PASSIVE)');
}

/**
 * Closes a database whose file is about to be replaced. A kill right now must still find all of it in the
 * file; that it has reached the disk itself is asked no more.
 * @throws when a full disk has no room for it there; the database is still open then
 */
export function closeForGood(store: Store): void {
  store.client.pragma('synchronous = OFF');
  try {
    // Closing does that too, but says nothing when it cannot.
    emptyLog(store);
  } catch (error) {
    store.client.pragma(SYNCHRONOUS);
    throw error;
  }
  closeStore(store);
}

/** The database as bytes that `openMemoryStore` and a plain file write both take. */
export function serializeStore(store: Store): Buffer {
  const bytes = store.client.serialize();
  // A copy in WAL mode cannot be opened from memory.
  bytes.set(ROLLBACK_FORMAT, FORMAT_OFFSET);
  return bytes;
}

/**
 * A checkpoint waits for the disk, and all requests with it: one per 32 MB of write-ahead log, in which a page
 * that many wrote to counts once.
 */
const CHECKPOINT_AFTER_PAGES = 8_000;

/** A kill loses nothing; a power cut may take the last commits. */
const SYNCHRONOUS = 'synchronous = NORMAL';

function prepare(client: Client, file: string | undefined, onUpgrade?: () => void): Store {
  if (file !== undefined) {
    client.pragma('journal_mode = WAL');
    client.pragma(`wal_autocheckpoint = ${CHECKPOINT_AFTER_PAGES}`);
  }
  client.pragma(SYNCHRONOUS);
  return configured(client, file, onUpgrade);
}

function configured(client: Client, file: string | undefined, onUpgrade?: () => void): Store {
  migrate(client, onUpgrade);
  client.pragma('foreign_keys = ON');
  return { client, db: drizzle({ client }), file };
}
