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

/**
 * Locks a state folder for this process. The operating system holds the lock, on a small database, and releases it
 * however the process ends.
 * @returns a function that releases the lock
 * @throws StateInUseError, UnusableStateError
 */
export function lockState(dataDir: string): () => void {
  makePrivateFolder(dataDir);
  const file = path.join(dataDir, 'lock');
  if (fs.statSync(file, { throwIfNoEntry: false })?.isFile() === false) {
    throw new UnusableStateError(
      `${file} is not a file, so the state cannot be locked. Remove it, or start with another --data-dir.`,
    );
  }
  makePrivateFile(file);
  let lock: Database.Database | undefined;
  try {
    lock = new Database(file, { timeout: 0 });
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    if (isBusy(error)) throw new StateInUseError(dataDir);
    throw new UnusableStateError(
      `${file} cannot be used as the lock of the state (${messageOf(error)}). It holds no data: remove it, or start with another --data-dir.`,
    );
  }
  return () => lock.close();
}
