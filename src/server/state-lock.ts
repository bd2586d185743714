import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { messageOf } from '../kernel/errors.ts';
import { UnusableStateError } from '../store/errors.ts';
import { makePrivateFile, makePrivateFolder } from '../store/private-files.ts';

export class StateInUseError extends Error {
  readonly dataDir: string;
  constructor(dataDir: string) {
    super(`the state in ${dataDir} is in use by another sandlot`);
    this.name = 'StateInUseError';
    this.dataDir = dataDir;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

/** `assertNotLocked` holds its lock for less. */
const WAIT_MS = 50;

/**
 * Locks a state folder for this process. The operating system holds the lock, on a small database, and releases it
 * however the process ends.
 * @returns a function that releases the lock
 * @throws StateInUseError, UnusableStateError
 */
export function lockState(dataDir: string): () => void {
  makePrivateFolder(dataDir);
  const file = lockFile(dataDir);
  makePrivateFile(file);
  const lock = openLock(dataDir, { timeout: WAIT_MS }, (database) => {
    database.pragma('journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
  });
  return () => lock.close();
}

/**
 * Asserts that no process has locked a state folder, which must have a lock file. Several can do so at once.
 * @throws StateInUseError, UnusableStateError
 */
export function assertNotLocked(dataDir: string): void {
  const shared = openLock(dataDir, { readonly: true, timeout: WAIT_MS }, (database) => {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
  });
  shared.close();
}

function openLock(
  dataDir: string,
  options: Database.Options,
  take: (database: Database.Database) => void,
): Database.Database {
  const file = lockFile(dataDir);
  let lock: Database.Database | undefined;
  try {
    lock = new Database(file, options);
    take(lock);
    return lock;
  } catch (error) {
    lock?.close();
    if (isBusy(error)) throw new StateInUseError(dataDir);
    throw new UnusableStateError(
      `${file} cannot be used as the lock of the state (${messageOf(error)}). It holds no data: remove it, or start with another --data-dir.`,
    );
  }
}

/** @throws UnusableStateError */
function lockFile(dataDir: string): string {
  const file = path.join(dataDir, 'lock');
  if (fs.statSync(file, { throwIfNoEntry: false })?.isFile() !== false) return file;
  throw new UnusableStateError(
    `${file} is not a file, so the state cannot be locked. Remove it, or start with another --data-dir.`,
  );
}
