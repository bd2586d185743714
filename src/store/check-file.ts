import fs from 'node:fs';
import Database from 'better-sqlite3';
import { messageOf } from '../kernel/errors.ts';
import { hasLog, removeLogs } from './database-file.ts';
import { explainDiskFull, UnusableStateError } from './errors.ts';
import { APPLICATION_ID, MIGRATIONS } from './migrate.ts';

const RECOVERY_HINTS = {
  damaged: 'Move the file away or start with another --data-dir.',
  foreign: 'Start with another --data-dir.',
  newer: 'Use that version, or another --data-dir.',
};

/**
 * Asserts that a file can be opened: it can be read and written, and is a database of this version of sandlot.
 * @param readAll whether to look for damage in all of it
 * @throws UnusableStateError
 */
export function assertUsable(file: string, readAll: boolean, hints = RECOVERY_HINTS): void {
  try {
    fs.accessSync(file, fs.constants.R_OK | fs.constants.W_OK);
  } catch {
    throw unusable(`The state in ${file} cannot be written by this user.`, hints.foreign);
  }
  readFromFile(
    file,
    (client) => {
      const read = (name: string) => client.pragma(name, { simple: true });
      const version = Number(read('user_version'));
      if (Number(read('application_id')) !== APPLICATION_ID) {
        throw unusable(`${file} is a database of another program.`, hints.foreign);
      }
      if (version > MIGRATIONS.length) {
        const versions = `schema ${version}, this one knows ${MIGRATIONS.length}`;
        throw unusable(
          `The state in ${file} was written by a newer sandlot (${versions}).`,
          hints.newer,
        );
      }
      // Fails for a damaged schema, which pragmas do not read.
      client.prepare('SELECT count(*) FROM sqlite_schema').get();
      const result = readAll ? String(read('quick_check(1)')) : 'ok';
      if (result !== 'ok') throw damagedState(file, result.replaceAll(/\s+/g, ' '), hints);
    },
    hints,
  );
}

/**
 * Reads something in a file that is not open. The connection is read-only, which leaves a write-ahead log in place when it
 * closes.
 * @throws UnusableStateError if it cannot be read
 */
export function readFromFile<T>(
  file: string,
  read: (client: Database.Database) => T,
  hints = RECOVERY_HINTS,
): T {
  const hadLog = hasLog(file);
  let client: Database.Database | undefined;
  try {
    // SQLite takes an empty file for an empty database.
    if (fs.statSync(file).size === 0) throw new Error('file is not a database');
    client = new Database(file, { readonly: true, fileMustExist: true });
    return read(client);
  } catch (error) {
    // Reading needs room for files beside it; a full disk says nothing about the file.
    if (error instanceof UnusableStateError || explainDiskFull(error) !== undefined) throw error;
    throw damagedState(file, messageOf(error), hints);
  } finally {
    client?.close();
    // The log that reading has created is empty.
    if (!hadLog) removeLogs(file);
  }
}

export function damagedState(file: string, detail: string, hints = RECOVERY_HINTS) {
  return unusable(`The state in ${file} is damaged (${detail}).`, hints.damaged);
}

function unusable(problem: string, hint: string): UnusableStateError {
  return new UnusableStateError(`${problem} Nothing was changed. ${hint}`);
}
