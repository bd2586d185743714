import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { StateRefusedError } from '../store/refused.ts';

/** Another process uses the state folder. */
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
 * Takes a state folder for this process. The lock is the operating system's own, on a small database, so
 * it ends with the process however that ends; no process id has to be believed.
 * @returns its release
 * @throws StateInUseError, StateRefusedError
 */
export function lockState(dataDir: string): () => void {
  fs.mkdirSync(dataDir, { recursive: true });
  const lock = new Database(path.join(dataDir, 'lock'), { timeout: 0 });
  try {
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (isBusy(error)) throw new StateInUseError(dataDir);
    throw new StateRefusedError(
      `The state in ${dataDir} cannot be locked (${error instanceof Error ? error.message : error}). Nothing was changed. Start with another --data-dir.`,
    );
  }
  return () => lock.close();
}
