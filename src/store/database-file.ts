import fs from 'node:fs';

/** Path of a database that will replace `file`. The next start removes one that a kill has left. */
export function temporaryFile(file: string): string {
  return `${file}.new`;
}

/**
 * Replaces a closed database by its temporary file: at any moment, either the old or the new one is there. A log or journal of
 * the old one must not meet the new file, so these are removed first.
 */
export function replaceAtomically(file: string): void {
  removeLogs(file);
  removeJournal(file);
  fs.renameSync(temporaryFile(file), file);
}

export function removeDatabaseFile(file: string): void {
  fs.rmSync(file, { force: true });
  removeLogs(file);
  removeJournal(file);
}

/** Whether the database has a write-ahead log, with changes that are not in the file yet. */
export function hasLog(file: string): boolean {
  return fs.existsSync(`${file}-wal`);
}

export function removeLogs(file: string): void {
  fs.rmSync(`${file}-wal`, { force: true });
  fs.rmSync(`${file}-shm`, { force: true });
}

/** Whether the database was written to and not closed: a kill or a crash leaves its write-ahead log. */
export function isUnclosed(file: string): boolean {
  return (fs.statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function removeJournal(file: string): void {
  fs.rmSync(`${file}-journal`, { force: true });
}

/** Removes the temporary databases that a kill has left in a folder. */
export function deleteTemporaryFiles(dir: string): void {
  for (const name of fs.readdirSync(dir)) {
    if (name.includes('.db.new')) fs.rmSync(`${dir}/${name}`, { force: true });
  }
}
