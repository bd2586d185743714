import fs from 'node:fs';
import Database from 'better-sqlite3';
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import { hasLog, removeLogs, replaceDatabaseFile } from './database-file.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { StateRefusedError } from './refused.ts';

export type Client = Database.Database;
export type Db = BetterSQLite3Database;

/** One open world database. */
export interface Store {
  client: Client;
  db: Db;
  /** Undefined for a world in memory. */
  file: string | undefined;
}

/** "slot", so that a file of another program is recognised. */
const APPLICATION_ID = 0x736c6f74;
/** Up to here a whole-file check is quick enough for every start. */
const CHECKED_BYTES = 16 * 1024 * 1024;

/** A world in memory, empty or holding the serialised database `bytes`. */
export function openMemoryStore(bytes?: Buffer): Store {
  const client = new Database(bytes ?? ':memory:');
  return prepare(client, undefined);
}

/**
 * Opens or creates a world file: write-ahead log, so that what was acknowledged survives a kill.
 * @throws StateRefusedError when the file is corrupt, of another program or of a newer sandlot; the file is
 * then left as it was
 */
export function openFileStore(file: string): Store {
  if (fs.existsSync(file)) refuseUnusable(file);
  return prepare(new Database(file), file);
}

/** Puts a world database that was made here, as bytes, at `file` in place of what is there, and opens it. */
export function openFreshFileStore(file: string, bytes: Uint8Array): Store {
  replaceDatabaseFile(file, bytes);
  return prepare(new Database(file), file);
}

/** Closes the database; what the write-ahead log holds goes into the file. */
export function closeStore(store: Store): void {
  store.client.close();
}

/** The database as bytes that `openMemoryStore` and a plain file write both take. */
export function serialiseStore(store: Store): Buffer {
  const bytes = store.client.serialize();
  // A copy that says "write-ahead log" cannot be opened from memory; 1 says "rollback journal".
  bytes[18] = 1;
  bytes[19] = 1;
  return bytes;
}

function prepare(client: Client, file: string | undefined): Store {
  if (file !== undefined) client.pragma('journal_mode = WAL');
  client.pragma('synchronous = NORMAL');
  client.pragma('foreign_keys = ON');
  migrate(client);
  return { client, db: drizzle({ client }), file };
}

function migrate(client: Client): void {
  const version = Number(client.pragma('user_version', { simple: true }));
  if (version >= MIGRATIONS.length) return;
  client.transaction(() => {
    for (const migration of MIGRATIONS.slice(version)) client.exec(migration);
    client.pragma(`user_version = ${MIGRATIONS.length}`);
    client.pragma(`application_id = ${APPLICATION_ID}`);
  })();
}

function refuseUnusable(file: string): void {
  const corrupt = (detail: string) =>
    new StateRefusedError(
      `The state in ${file} is damaged (${detail}). Nothing was changed. Move the file away or start with another --data-dir.`,
    );
  if (!isWritable(file)) {
    throw new StateRefusedError(
      `The state in ${file} cannot be written by this user. Nothing was changed. Start with another --data-dir.`,
    );
  }
  // The header is read as plain bytes first: opening a database may already touch the files beside it.
  const header = readHeader(file);
  if (header.toString('latin1', 0, 15) !== 'SQLite format 3') throw corrupt('not a database');
  const version = header.readUInt32BE(60);
  const ours = header.readUInt32BE(68) === APPLICATION_ID;
  const foreign = new StateRefusedError(
    `${file} is a database of another program. Nothing was changed. Start with another --data-dir.`,
  );
  if (!ours && version !== 0) throw foreign;
  if (version > MIGRATIONS.length) {
    throw new StateRefusedError(
      `The state in ${file} was written by a newer sandlot (schema ${version}, this one knows ${MIGRATIONS.length}). Nothing was changed. Use that version, or another --data-dir.`,
    );
  }
  const { problem, blank } = lookInside(file);
  if (problem !== undefined) throw corrupt(problem);
  // A kill before the first migration leaves a database without a name, but without a table too.
  if (!ours && !blank) throw foreign;
}

function isWritable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.R_OK | fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function readHeader(file: string): Buffer {
  const header = Buffer.alloc(100);
  const handle = fs.openSync(file, 'r');
  try {
    fs.readSync(handle, header, 0, header.length, 0);
  } finally {
    fs.closeSync(handle);
  }
  return header;
}

/** Through a read-only connection, which leaves the write-ahead log in place when it closes. */
function lookInside(file: string): { problem?: string; blank?: boolean } {
  const hadLog = hasLog(file);
  let client: Client | undefined;
  try {
    client = new Database(file, { readonly: true, fileMustExist: true });
    const blank = client.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
    const small = fs.statSync(file).size <= CHECKED_BYTES;
    const verdict = small
      ? String(client.pragma('quick_check(1)', { simple: true }))
      : String(client.prepare("SELECT 'ok' FROM world").pluck().get());
    return verdict === 'ok' ? { blank } : { problem: verdict.replaceAll(/\s+/g, ' ') };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  } finally {
    client?.close();
    // What looking has put beside the file is empty.
    if (!hadLog) removeLogs(file);
  }
}
