import fs from 'node:fs';
import { removeClosedMark } from './closed-mark.ts';

/** Where a database is made ready that is to take the place of `file`. A kill leaves it there, unread. */
export function stagedFile(file: string): string {
  return `${file}.new`;
}

/**
 * Puts what was staged in place of a database file that nobody has open: at any moment there is the old one
 * or the new one. A write-ahead log of the old one must not meet the new file, so it goes first.
 */
export function takeStagedFile(file: string): void {
  removeLogs(file);
  fs.renameSync(stagedFile(file), file);
}

/** Removes a database that nobody has open. */
export function removeDatabaseFile(file: string): void {
  fs.rmSync(file, { force: true });
  removeClosedMark(file);
  removeLogs(file);
}

/** Whether a write-ahead log lies beside the file: what is not in the file yet. */
export function hasLog(file: string): boolean {
  return fs.existsSync(`${file}-wal`);
}

/** Removes the write-ahead log of a database that nobody has open, and what belongs to it. */
export function removeLogs(file: string): void {
  fs.rmSync(`${file}-wal`, { force: true });
  fs.rmSync(`${file}-shm`, { force: true });
}
