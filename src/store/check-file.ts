import fs from 'node:fs';
import Database from 'better-sqlite3';
import { isAsClosed, markClosed } from './closed-mark.ts';
import {
  hasJournal,
  hasLog,
  journalOf,
  removeDatabaseFile,
  removeLogs,
  temporaryFile,
} from './database-file.ts';
import { explainDiskFull } from './disk-full.ts';
import { APPLICATION_ID, DEVELOPMENT_ID, MIGRATIONS } from './migrate.ts';
import { UnusableStateError } from './unusable-state.ts';

/** Up to here a whole-file check is quick enough for every start. */
const CHECKED_BYTES = 16 * 1024 * 1024;

/** What somebody can do whose state is refused. */
const RECOVERY_HINTS = {
  damaged: 'Move the file away or start with another --data-dir.',
  foreign: 'Start with another --data-dir.',
  newer: 'Use that version, or another --data-dir.',
  older: 'Delete or move the state folder, or start with another --data-dir.',
};

/**
 * @param recoveryHints what the sentence ends with, where it is not a world that a start has met
 * @throws UnusableStateError when the file cannot be read and written, is corrupt, of another program, or of a
 * newer or a development version of sandlot
 */
export function assertUsable(file: string, recoveryHints = RECOVERY_HINTS): void {
  if (!isWritable(file)) {
    throw new UnusableStateError(
      `The state in ${file} cannot be written by this user. Nothing was changed. ${recoveryHints.foreign}`,
    );
  }
  if (hasJournal(file)) judgeRecovered(file, recoveryHints);
  else judge(file, file, recoveryHints);
}

/**
 * Judges what the file will be once SQLite has taken back the change that its journal tells of. That happens in
 * a copy: the file itself may turn out to be another program's.
 */
function judgeRecovered(file: string, recoveryHints: typeof RECOVERY_HINTS): void {
  const copy = temporaryFile(file);
  try {
    fs.copyFileSync(file, copy);
    fs.copyFileSync(journalOf(file), journalOf(copy));
    recover(copy);
    judge(copy, file, recoveryHints);
  } finally {
    removeDatabaseFile(copy);
  }
}

/** What cannot be recovered is judged as it is. */
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

/** @param named the path by which people know the file */
function judge(file: string, named: string, recoveryHints: typeof RECOVERY_HINTS): void {
  const corrupt = (detail: string) => damagedState(named, detail, recoveryHints);
  // The header is read as plain bytes first: opening a database may already touch the files beside it.
  const header = readHeader(file);
  if (header.toString('latin1', 0, 15) !== 'SQLite format 3') throw corrupt('not a database');
  const version = header.readUInt32BE(60);
  const applicationId = header.readUInt32BE(68);
  const ours = applicationId === APPLICATION_ID;
  const foreign = new UnusableStateError(
    `${named} is a database of another program. Nothing was changed. ${recoveryHints.foreign}`,
  );
  if (applicationId === DEVELOPMENT_ID) {
    throw new UnusableStateError(
      `The state in ${named} was written by a development version of sandlot that this one cannot read. Nothing was changed. ${recoveryHints.older}`,
    );
  }
  if (!ours && version !== 0) throw foreign;
  if (version > MIGRATIONS.length) {
    throw new UnusableStateError(
      `The state in ${named} was written by a newer sandlot (schema ${version}, this one knows ${MIGRATIONS.length}). Nothing was changed. ${recoveryHints.newer}`,
    );
  }
  if (ours && !hasLog(file) && isAsClosed(file)) return;
  const { problem, blank } = lookInside(file);
  if (problem !== undefined) throw corrupt(problem);
  // A kill before the first migration leaves a database without a name, but without a table too.
  if (!ours && !blank) throw foreign;
}

/**
 * What `look` reads in a file that nobody has open, without checking the whole of it.
 * @throws UnusableStateError when it cannot
 */
export function readFromFile<T>(
  file: string,
  look: (client: Database.Database) => T,
  recoveryHints = RECOVERY_HINTS,
): T {
  let client: Database.Database | undefined;
  try {
    client = new Database(file, { readonly: true, fileMustExist: true });
    return look(client);
  } catch (error) {
    assertUsable(file, recoveryHints);
    throw damagedState(file, error instanceof Error ? error.message : String(error), recoveryHints);
  } finally {
    client?.close();
  }
}

/**
 * Notes that a file that was closed just now is whole, so that the next start need not look through it. It is looked
 * through here: others may have written to it while it was open.
 */
export function leaveClosed(file: string): void {
  try {
    if (lookInside(file).problem === undefined) markClosed(file);
  } catch {
    // A full disk: only the next start takes longer.
  }
}

/** The rejection of a file in which something is wrong. */
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

/** Through a read-only connection, which leaves the write-ahead log in place when it closes. */
function lookInside(file: string): { problem?: string; blank?: boolean } {
  const hadLog = hasLog(file);
  let client: Database.Database | undefined;
  try {
    client = new Database(file, { readonly: true, fileMustExist: true });
    const blank = client.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
    const small = fs.statSync(file).size <= CHECKED_BYTES;
    const verdict = small
      ? String(client.pragma('quick_check(1)', { simple: true }))
      : String(client.prepare("SELECT 'ok' FROM world").pluck().get());
    return verdict === 'ok' ? { blank } : { problem: verdict.replaceAll(/\s+/g, ' ') };
  } catch (error) {
    // Even looking needs room for what it puts beside the file; that says nothing about the file.
    if (explainDiskFull(error) !== undefined) throw error;
    return { problem: error instanceof Error ? error.message : String(error) };
  } finally {
    client?.close();
    // What looking has put beside the file is empty.
    if (!hadLog) removeLogs(file);
  }
}
