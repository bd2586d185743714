import fs from 'node:fs';
import Database from 'better-sqlite3';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import { UnusableStateError } from './errors.ts';
import { APPLICATION_ID, MIGRATIONS, migrate } from './migrate.ts';
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

/** Opens a world in memory, empty or from a serialized database that this process has written. */
export function openMemoryStore(bytes?: Buffer): Store {
  return prepare(new Database(bytes ?? ':memory:'), undefined);
}

/**
 * Opens a world file, with a write-ahead log. Reads all of a file that was not closed.
 * @param onUpgrade called before a database of an older version is migrated, which may take seconds
 * @throws UnusableStateError that names the file
 */
export function openFileStore(file: string, onUpgrade?: () => void): Store {
  const readAll = isUnclosed(file);
  return check(file, (client) => {
    assertUsable(client, readAll);
    const store = prepare(client, file, onUpgrade);
    assertComplete(client);
    return store;
  });
}

/** Opens a copy of a world file in memory. @throws UnusableStateError */
export function openCopy(bytes: Buffer): Store {
  return check(bytes, (client) => {
    assertUsable(client, true);
    const store = prepare(client, undefined);
    assertComplete(client);
    return store;
  });
}

/** Looks for damage in all of a file that is not in use. @throws UnusableStateError that names the file */
export function checkFile(file: string): void {
  check(file, (client) => {
    assertUsable(client, true);
    client.close();
  });
}

/** Opens a database that may be unusable. If `use` throws, it is closed. @throws UnusableStateError */
function check<T>(source: string | Buffer, use: (client: Client) => T): T {
  let client: Client | undefined;
  try {
    client = new Database(source);
    return use(client);
  } catch (error) {
    client?.close();
    const isUnusable = error instanceof UnusableStateError;
    if (!isUnusable && !isDamage(error)) throw error;
    const problem = isUnusable ? error.message : `it is damaged (${error.message})`;
    if (typeof source !== 'string') throw new UnusableStateError(problem);
    throw new UnusableStateError(
      `The state in ${source} cannot be used: ${problem}. Move the file away or start with another --data-dir.`,
    );
  }
}

function assertUsable(client: Client, readAll: boolean): void {
  const read = (name: string) => client.pragma(name, { simple: true });
  if (Number(read('application_id')) !== APPLICATION_ID) {
    throw new UnusableStateError('it is a database of another program');
  }
  const version = Number(read('user_version'));
  if (version > MIGRATIONS.length) {
    throw new UnusableStateError(
      `it was written by a newer sandlot (schema ${version}, this one knows ${MIGRATIONS.length})`,
    );
  }
  const problem = readAll ? String(read('quick_check(1)')) : 'ok';
  if (problem !== 'ok') {
    throw new UnusableStateError(`it is damaged (${problem.replaceAll(/\s+/g, ' ')})`);
  }
}

function assertComplete(client: Client): void {
  const missing = findMissing(client);
  if (missing !== undefined) throw new UnusableStateError(`it is damaged (${missing})`);
}

/** Whether the database was written to and not closed: a kill or a crash leaves its write-ahead log. */
function isUnclosed(file: string): boolean {
  return (fs.statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

export function isDamage(error: unknown): error is Error {
  return error instanceof Database.SqliteError && MEANS_DAMAGE.test(error.code);
}

/** SQLITE_ERROR: a damaged table definition may still be valid SQL. The others: the file cannot be opened or written. */
const MEANS_DAMAGE = /^SQLITE_(?:CORRUPT.*|ERROR.*|NOTADB|READONLY.*|CANTOPEN.*)$/;

/** Changes a database in one transaction; closes it if that fails. */
export function altered(store: Store, alter: (store: Store) => void): Store {
  try {
    store.client.transaction(() => alter(store))();
    return store;
  } catch (error) {
    closeStore(store);
    throw error;
  }
}

/** Bytes 18 and 19 of a database, the versions needed to write and to read it. */
const FORMATS = { rollback: 1, wal: 2 };

/** Marks the bytes of a database as those of one with a write-ahead log, which cannot be opened from memory, or without. */
export function inFormat(bytes: Buffer, format: keyof typeof FORMATS): Buffer {
  bytes.subarray(18, 20).fill(FORMATS[format]);
  return bytes;
}

/** Writes a file which `replaceByStaged` puts in the place of another. If that fails, none is left. */
export function stage(file: string, bytes: Buffer): void {
  try {
    fs.writeFileSync(stagedFile(file), bytes, { mode: PRIVATE_FILE });
  } catch (error) {
    fs.rmSync(stagedFile(file), { force: true });
    throw error;
  }
}

/**
 * Replaces a closed database: at any moment, either the old or the new file is there. A log or journal of the old one must
 * not meet the new file, so these are removed first.
 */
export function replaceByStaged(file: string): void {
  removeLogs(file);
  fs.renameSync(stagedFile(file), file);
}

/**
 * Makes a database in memory that of a world: it becomes the file of the world, if it has one.
 * @param closeOld closes the database that is replaced; called when the new one is written
 */
export function place(
  store: Store,
  file: string | undefined,
  closeOld: () => void = () => {},
): Store {
  if (file === undefined) {
    closeOld();
    return store;
  }
  try {
    // In WAL mode already, so that opening it writes nothing.
    stage(file, inFormat(store.client.serialize(), 'wal'));
  } finally {
    closeStore(store);
  }
  closeOld();
  replaceByStaged(file);
  return reopen(file);
}

/** Opens a world file that this process has written, without checking it. */
export function reopen(file: string): Store {
  return prepare(new Database(file), file);
}

function stagedFile(file: string): string {
  return `${file}.new`;
}

/** Removes the staged files that a kill has left in a folder. */
export function deleteStagedFiles(dir: string): void {
  for (const name of fs.readdirSync(dir)) {
    if (name.includes('.db.new')) fs.rmSync(`${dir}/${name}`, { force: true });
  }
}

export function removeDatabaseFile(file: string): void {
  fs.rmSync(file, { force: true });
  removeLogs(file);
}

function removeLogs(file: string): void {
  for (const log of ['-wal', '-shm', '-journal']) fs.rmSync(file + log, { force: true });
}

/** Closes the database and moves its write-ahead log into the file. */
export function closeStore(store: Store): void {
  store.client.close();
}

/** Returns the database as bytes for `openMemoryStore` or a file. */
export function serializeStore(store: Store): Buffer {
  return inFormat(store.client.serialize(), 'rollback');
}

function prepare(client: Client, file: string | undefined, onUpgrade?: () => void): Store {
  if (file !== undefined) client.pragma('journal_mode = WAL');
  // A kill loses nothing; a power failure may lose the last commits.
  client.pragma('synchronous = NORMAL');
  migrate(client, onUpgrade);
  client.pragma('foreign_keys = ON');
  return { client, db: drizzle({ client }), file };
}
