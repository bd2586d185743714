import fs from 'node:fs';
import Database from 'better-sqlite3';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import { checkWorld, isDamage } from './check-world.ts';
import { UnusableStateError } from './errors.ts';
import { migrate } from './migrate.ts';
import { PRIVATE_FILE } from './private-files.ts';

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
  return configured(new Database(bytes ?? ':memory:'), undefined);
}

/** Opens the bytes of a database of unknown origin in memory. @throws UnusableStateError */
export function openUntrusted(bytes: Buffer): Store {
  return check(asSingleFile(bytes), true, (client) => configured(client, undefined));
}

/**
 * Opens a world file, with a write-ahead log. Reads all of a file that was not closed.
 * @param onUpgrade called before a database of an older version is migrated, which may take seconds
 * @throws UnusableStateError that names the file
 */
export function openFileStore(file: string, onUpgrade?: () => void): Store {
  return naming(file, () =>
    check(file, isUnclosed(file), (client) => inUse(client, file, onUpgrade)),
  );
}

/** Looks for damage in all of a file that is not in use. @throws UnusableStateError that names the file */
export function checkFile(file: string): void {
  naming(file, () => check(file, true, (client) => client.close()));
}

/** Changes a database in one transaction. If that fails, it is closed. */
export function altered(store: Store, alter: (store: Store) => void): Store {
  try {
    store.client.transaction(() => alter(store))();
    return store;
  } catch (error) {
    closeStore(store);
    throw error;
  }
}

/**
 * Makes a database in memory that of a world, in place of the old one.
 * @param file undefined leaves it in memory
 * @param closeOld closes the old one; called when the new one is complete
 */
export function place(
  next: Store,
  file: string | undefined,
  closeOld: () => void = () => {},
): Store {
  if (file === undefined) {
    closeOld();
    return next;
  }
  const bytes = serializeStore(next);
  closeStore(next);
  // In WAL mode already, so that opening it writes nothing.
  bytes.subarray(18, 20).fill(WAL_FORMAT);
  writeDatabaseFile(file, bytes, closeOld);
  return reopen(file);
}

/**
 * Writes a database to a file: at any moment, either the old or the new one is there.
 * @param closeOld closes the old one; called when the new one is written
 */
export function writeDatabaseFile(
  file: string,
  bytes: Buffer,
  closeOld: () => void = () => {},
): void {
  const staged = `${file}.new`;
  try {
    fs.writeFileSync(staged, bytes, { mode: PRIVATE_FILE });
    closeOld();
    // A log of the old database must not meet the new one.
    removeLogs(file);
    fs.renameSync(staged, file);
  } catch (error) {
    fs.rmSync(staged, { force: true });
    throw error;
  }
}

/** Opens a world file that this process has written, without checking it. */
export function reopen(file: string): Store {
  return inUse(new Database(file), file);
}

/** Opens a database that may be unusable, and checks it. If `use` throws, it is closed. @throws UnusableStateError */
function check<T>(source: string | Buffer, readAll: boolean, use: (client: Client) => T): T {
  let client: Client | undefined;
  try {
    client = new Database(source);
    checkWorld(client, readAll);
    return use(client);
  } catch (error) {
    client?.close();
    throw isDamage(error) ? new UnusableStateError(`damaged (${error.message})`) : error;
  }
}

function naming<T>(file: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof UnusableStateError)) throw error;
    throw new UnusableStateError(
      `The state in ${file} cannot be used: it is ${error.message}. Move the file away or start with another --data-dir.`,
    );
  }
}

/** Whether the database was written to and not closed: a kill or a crash leaves its write-ahead log. */
function isUnclosed(file: string): boolean {
  return (fs.statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Bytes 18 and 19 of a database: the versions needed to write and to read it, without and with a write-ahead log. */
const SINGLE_FILE_FORMAT = 1;
const WAL_FORMAT = 2;

/** Converts the bytes of a database in WAL mode, which cannot be opened from memory, to those of a single file. */
function asSingleFile(bytes: Buffer): Buffer {
  bytes.subarray(18, 20).fill(SINGLE_FILE_FORMAT);
  return bytes;
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

/** Returns the database as the bytes of a single file. */
export function serializeStore(store: Store): Buffer {
  return asSingleFile(store.client.serialize());
}

function inUse(client: Client, file: string, onUpgrade?: () => void): Store {
  client.pragma('journal_mode = WAL');
  // A kill loses nothing; a power failure may lose the last commits.
  client.pragma('synchronous = NORMAL');
  return configured(client, file, onUpgrade);
}

function configured(client: Client, file: string | undefined, onUpgrade?: () => void): Store {
  migrate(client, onUpgrade);
  client.pragma('foreign_keys = ON');
  return { client, db: drizzle({ client }), file };
}
