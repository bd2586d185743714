import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import { type CheckDepth, checkWorld, isDamage } from './check-world.ts';
import { createTables } from './create-tables.ts';
import { UnusableStateError } from './errors.ts';
import { PRIVATE_FILE } from './private-files.ts';

export type Client = Database.Database;
export type Db = BetterSQLite3Database & { $client: Client };

export interface Store {
  client: Client;
  db: Db;
  /** Undefined for a world in memory. */
  file: string | undefined;
}

/** Opens a world in memory, empty or from bytes of `serializeStore`, which are not checked. */
export function openMemoryStore(bytes?: Buffer): Store {
  const client = new Database(bytes ?? ':memory:');
  if (!bytes) createTables(client);
  return configure(client, undefined);
}

/**
 * Opens an existing world file, with a write-ahead log. Reads all of it if it was not closed.
 * @throws UnusableStateError that names the file
 */
export function openFileStore(file: string): Store {
  if (isUnclosed(file)) checkFile(file);
  return withFileName(file, () =>
    openDatabase(file, {}, (client) => {
      checkWorld(client, 'schema');
      return configureFile(client, file);
    }),
  );
}

/**
 * Looks for damage in all of a world file. Keeps the log of an unclosed one, by which `isUnclosed` notices a kill.
 * @throws UnusableStateError that names the file
 */
export function checkFile(file: string): void {
  withFileName(file, () =>
    openDatabase(file, { readonly: isUnclosed(file) }, (client) => {
      checkWorld(client, 'quick');
      client.close();
    }),
  );
}

function withFileName<T>(file: string, use: () => T): T {
  // SQLite opens a file that it may not write to, and calls other errors of permission damage.
  for (const place of [path.dirname(file), file]) fs.accessSync(place, fs.constants.W_OK);
  try {
    return use();
  } catch (error) {
    if (!(error instanceof UnusableStateError)) throw error;
    throw new UnusableStateError(
      `The state in ${file} cannot be used: it is ${error.message}. Move the file away or start with another --data-dir.`,
    );
  }
}

/**
 * Opens a copy of a database, from which `install` makes a world: in memory, or in a file beside `file`.
 * @param file of the world; undefined for a world in memory
 * @param depth of a check; undefined for a database of this process
 * @throws UnusableStateError if it is checked and cannot be used
 */
export function openCopy(bytes: Buffer, file?: string, depth?: CheckDepth): Store {
  const staged = file && file + STAGED;
  try {
    if (staged !== undefined) {
      // Also removes the log of a copy that a kill has left.
      removeDatabaseFile(staged);
      fs.writeFileSync(staged, bytes, { mode: PRIVATE_FILE });
    }
    return openDatabase(staged ?? bytes, {}, (client) => {
      if (depth) checkWorld(client, depth);
      // A file need not survive a kill before it is used.
      client.pragma('journal_mode = MEMORY');
      return configure(client, staged);
    });
  } catch (error) {
    if (staged !== undefined) removeDatabaseFile(staged);
    throw error;
  }
}

/** Changes a copy in one transaction. If that fails, nothing is left of it. */
export function alterCopy(copy: Store, alter: (store: Store) => void): Store {
  try {
    copy.client.transaction(() => alter(copy))();
    return copy;
  } catch (error) {
    closeStore(copy);
    if (copy.file !== undefined) removeDatabaseFile(copy.file);
    throw error;
  }
}

/**
 * Makes a copy the database of a world, in place of the old one.
 * @param closeOld closes the old one; called when the copy is complete
 */
export function install(copy: Store, closeOld: () => void = () => {}): Store {
  if (copy.file === undefined) {
    closeOld();
    return copy;
  }
  // The finished file is in WAL mode already, so that opening it writes nothing.
  copy.client.pragma('journal_mode = WAL');
  closeStore(copy);
  closeOld();
  return reopen(replaceByStaged(copy.file));
}

/** Suffix of a copy beside the file of its world. */
const STAGED = '.new';

/**
 * Puts a closed copy in place of a closed database: at any moment, either the old or the new file is there.
 * @returns the file
 */
export function replaceByStaged(staged: string): string {
  const file = staged.slice(0, -STAGED.length);
  // A log of the old database must not meet the new one.
  removeLogs(file);
  fs.renameSync(staged, file);
  return file;
}

/** Opens a world file that this process has written, without checking it. */
export function reopen(file: string): Store {
  return configureFile(new Database(file), file);
}

/** Opens a database that may be unusable. If `use` throws, it is closed. @throws UnusableStateError */
function openDatabase<T>(
  source: string | Buffer,
  options: Database.Options,
  use: (client: Client) => T,
): T {
  let client: Client | undefined;
  try {
    client = new Database(source, options);
    return use(client);
  } catch (error) {
    client?.close();
    throw isDamage(error) ? new UnusableStateError(`damaged (${error.message})`) : error;
  }
}

/** Whether the database was written to and not closed: a kill or a crash leaves its write-ahead log. */
export function isUnclosed(file: string): boolean {
  return (fs.statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Value of bytes 18 and 19, the write and read version, of a database without a write-ahead log. */
const ROLLBACK_FORMAT = 1;

/** Changes the bytes of a database in WAL mode, which cannot be opened from memory, to those of a single file. */
export function asSingleFile(bytes: Buffer): Buffer {
  bytes.subarray(18, 20).fill(ROLLBACK_FORMAT);
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

/** Returns the database as bytes for `openCopy` or a file. */
export function serializeStore(store: Store): Buffer {
  return asSingleFile(store.client.serialize());
}

function configureFile(client: Client, file: string): Store {
  // No other process uses it, so that a transaction takes and frees no locks.
  client.pragma('locking_mode = EXCLUSIVE');
  client.pragma('journal_mode = WAL');
  return configure(client, file);
}

function configure(client: Client, file: string | undefined): Store {
  // A kill loses nothing; a power failure may damage the file. A larger cache is slower: some commits walk all of it.
  client.pragma('synchronous = OFF');
  client.pragma('cache_size = -2000');
  client.pragma('foreign_keys = ON');
  return { client, db: drizzle({ client }), file };
}
