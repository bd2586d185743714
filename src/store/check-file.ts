import fs from 'node:fs';
import Database from 'better-sqlite3';
import { hasJournal, hasLog, removeLogs } from './database-file.ts';
import { explainDiskFull, UnusableStateError } from './errors.ts';
import { APPLICATION_ID, DEVELOPMENT_IDS, MIGRATIONS } from './migrate.ts';

const RECOVERY_HINTS = {
  damaged: 'Move the file away or start with another --data-dir.',
  foreign: 'Start with another --data-dir.',
  newer: 'Use that version, or another --data-dir.',
  older: 'Delete or move the state folder, or start with another --data-dir.',
};

/**
 * Asserts that a file can be opened: it can be read and written, and is a database of this version of sandlot. Reads
 * its header and schema.
 * @throws UnusableStateError
 */
export function assertUsable(file: string, recoveryHints = RECOVERY_HINTS): void {
  assertFile(file, { recoveryHints, readAll: false });
}

/** As `assertUsable`, and reads all of the file. @throws UnusableStateError */
export function assertUndamaged(file: string, recoveryHints = RECOVERY_HINTS): void {
  assertFile(file, { recoveryHints, readAll: true });
}

interface Check {
  recoveryHints: typeof RECOVERY_HINTS;
  readAll: boolean;
}

function assertFile(file: string, check: Check): void {
  if (!isWritable(file)) {
    throw new UnusableStateError(
      `The state in ${file} cannot be written by this user. Nothing was changed. ${check.recoveryHints.foreign}`,
    );
  }
  if (hasJournal(file)) recover(file);
  assertContents(file, check);
}

/** Lets SQLite take back an interrupted change. Leaves the file as it is if that is not possible. */
function recover(file: string): void {
  let client: Database.Database | undefined;
  try {
    client = new Database(file);
    client.prepare('SELECT count(*) FROM sqlite_schema').get();
  } catch {
  } finally {
    client?.close();
  }
}

function assertContents(file: string, { recoveryHints, readAll }: Check): void {
  const corrupt = (detail: string) => damagedState(file, detail, recoveryHints);
  // The header is read as plain bytes first: opening a database may already touch the files beside it.
  const header = readHeader(file);
  if (header.toString('latin1', 0, 15) !== 'SQLite format 3') throw corrupt('not a database');
  const version = header.readUInt32BE(60);
  const applicationId = header.readUInt32BE(68);
  const ours = applicationId === APPLICATION_ID;
  const foreign = new UnusableStateError(
    `${file} is a database of another program. Nothing was changed. ${recoveryHints.foreign}`,
  );
  if (DEVELOPMENT_IDS.includes(applicationId)) {
    throw new UnusableStateError(
      `The state in ${file} was written by a development version of sandlot that this one cannot read. Nothing was changed. ${recoveryHints.older}`,
    );
  }
  if (!ours && version !== 0) throw foreign;
  if (version > MIGRATIONS.length) {
    throw new UnusableStateError(
      `The state in ${file} was written by a newer sandlot (schema ${version}, this one knows ${MIGRATIONS.length}). Nothing was changed. ${recoveryHints.newer}`,
    );
  }
  const { problem, blank } = readSchema(file, readAll);
  if (problem !== undefined) throw corrupt(problem);
  // A kill before the first migration leaves a database without a name, but without a table too.
  if (!ours && !blank) throw foreign;
}

/**
 * Reads something in a file that is not open, without checking the whole file first.
 * @throws UnusableStateError if it cannot be read
 */
export function readFromFile<T>(
  file: string,
  read: (client: Database.Database) => T,
  recoveryHints = RECOVERY_HINTS,
): T {
  let client: Database.Database | undefined;
  try {
    client = new Database(file, { readonly: true, fileMustExist: true });
    return read(client);
  } catch (error) {
    assertUndamaged(file, recoveryHints);
    throw damagedState(file, error instanceof Error ? error.message : String(error), recoveryHints);
  } finally {
    client?.close();
  }
}

/** Looks for damage in a database. @returns the first problem; undefined if there is none */
export function quickCheck(client: Database.Database): string | undefined {
  const result = String(client.pragma('quick_check(1)', { simple: true }));
  return result === 'ok' ? undefined : result.replaceAll(/\s+/g, ' ');
}

export function damagedState(
  file: string,
  detail: string,
  recoveryHints = RECOVERY_HINTS,
): UnusableStateError {
  return new UnusableStateError(
    `The state in ${file} is damaged (${detail}). Nothing was changed. ${recoveryHints.damaged}`,
  );
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

/** Uses a read-only connection, which leaves the write-ahead log in place when it closes. */
function readSchema(file: string, readAll: boolean): { problem?: string; blank?: boolean } {
  const hadLog = hasLog(file);
  let client: Database.Database | undefined;
  try {
    client = new Database(file, { readonly: true, fileMustExist: true });
    const blank = client.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
    const problem = readAll ? quickCheck(client) : undefined;
    return problem === undefined ? { blank } : { problem };
  } catch (error) {
    // Reading needs room for files beside it; a full disk says nothing about the file.
    if (explainDiskFull(error) !== undefined) throw error;
    return { problem: error instanceof Error ? error.message : String(error) };
  } finally {
    client?.close();
    // The log that reading has created is empty.
    if (!hadLog) removeLogs(file);
  }
}
