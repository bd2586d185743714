import fs from 'node:fs';

/** Where a database is made ready that is to take the place of `file`. A kill leaves it there, unread. */
export function temporaryFile(file: string): string {
  return `${file}.new`;
}

/**
 * Puts what was staged in place of a database file that nobody has open: at any moment there is the old one
 * or the new one. A log or journal of the old one must not meet the new file, so it goes first.
 */
export function replaceAtomically(file: string): void {
  removeLogs(file);
  removeJournal(file);
  fs.renameSync(temporaryFile(file), file);
}

/** Removes a database that nobody has open. */
export function removeDatabaseFile(file: string): void {
  fs.rmSync(file, { force: true });
  removeLogs(file);
  removeJournal(file);
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

/** Where SQLite keeps what a change in rollback mode overwrites, until that is committed. */
export function journalOf(file: string): string {
  return `${file}-journal`;
}

/** Whether a change to the file was interrupted: SQLite takes it back when the file is next opened for writing. */
export function hasJournal(file: string): boolean {
  return (fs.statSync(journalOf(file), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function removeJournal(file: string): void {
  fs.rmSync(journalOf(file), { force: true });
}

/** Removes what a kill has left of databases that were being made ready in a folder. */
export function deleteTemporaryFiles(dir: string): void {
  for (const name of fs.readdirSync(dir)) {
    if (STAGED.test(name)) fs.rmSync(`${dir}/${name}`, { force: true });
  }
}

const STAGED = /\.db\.new(?:-journal|-wal|-shm)?$/;
