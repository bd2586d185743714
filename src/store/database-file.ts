import fs from 'node:fs';

/**
 * Puts `bytes` in place of a database file that nobody has open: at any moment there is the old one or the
 * new one. A write-ahead log of the old one must not meet the new file, so it goes first.
 */
export function replaceDatabaseFile(file: string, bytes: Uint8Array): void {
  const fresh = `${file}.new`;
  fs.writeFileSync(fresh, bytes);
  removeLogs(file);
  fs.renameSync(fresh, file);
}

/** Removes a database that nobody has open. */
export function removeDatabaseFile(file: string): void {
  fs.rmSync(file, { force: true });
  removeLogs(file);
}

function removeLogs(file: string): void {
  fs.rmSync(`${file}-wal`, { force: true });
  fs.rmSync(`${file}-shm`, { force: true });
}
