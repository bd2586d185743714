import path from 'node:path';
import Database from 'better-sqlite3';
import { messageOf } from '../kernel/errors.ts';
import { UnusableStateError } from '../store/errors.ts';
import { makePrivateFile, makePrivateFolder } from '../store/private-files.ts';

export const LOCK_FILE = 'lock';

export class StateInUseError extends UnusableStateError {
  readonly dataDir: string;
  constructor(dataDir: string) {
    super(`the state in ${dataDir} is in use by another sandlot`);
    this.name = 'StateInUseError';
    this.dataDir = dataDir;
  }
}

/** `sandlot doctor` holds the lock for a moment while it checks the folder. */
const WAIT_MS = 50;

/**
 * Locks a state folder for this process. The operating system holds the lock, on a small database, and releases it
 * however the process ends.
 * @returns a function that releases the lock
 * @throws StateInUseError, UnusableStateError
 */
export function lockState(dataDir: string): () => void {
  makePrivateFolder(dataDir);
  const file = path.join(dataDir, LOCK_FILE);
  makePrivateFile(file);
  let lock: Database.Database | undefined;
  try {
    lock = new Database(file, { timeout: WAIT_MS });
    // A journal on disk would be left over after a kill.
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw new StateInUseError(dataDir);
    }
    throw new UnusableStateError(
      `${file} cannot be used as the lock of the state (${messageOf(error)}). It holds no data: remove it, or start with another --data-dir.`,
    );
  }
  return () => lock.close();
}
