import fs from 'node:fs';
import path from 'node:path';
import {
  makePrivateFolder,
  makeStateFolder,
  PRIVATE_FILE,
  removeUnusedStateFolder,
} from '../store/private-files.ts';

/** The folder of state and records in a working directory. */
export const DEFAULT_DATA_DIR = '.sandlot';

/** The running sandbox of a state folder, as commands find it. */
export interface ServerRecord {
  url: string;
  pid: number;
  started_at: string;
}

/** Returns whether the process of a record still runs. Another process may respond at its URL. */
export function isServerAlive({ pid }: Pick<ServerRecord, 'pid'>): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process runs, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Reads the record of the sandbox that uses a state folder; undefined if it is missing or unreadable. */
export function readServerRecord(dataDir: string): ServerRecord | undefined {
  return readRecord(path.join(dataDir, STATE_RECORD));
}

/**
 * Returns the newest running sandbox that was started in a folder: with the state there, in memory or with another state
 * folder. If none runs, returns the one that left its record when it was killed.
 * @param dataDir `.sandlot` in that folder
 */
export function findStartedIn(dataDir: string): { record: ServerRecord; file: string } | undefined {
  const user = findUserOf(dataDir);
  const links = linksIn(dataDir).flatMap((file) => {
    const record = readRecord(file);
    return record ? [{ record, file }] : [];
  });
  const running = [...links, ...(user ? [user] : [])]
    .filter(({ record }) => isServerAlive(record))
    .sort((a, b) => a.record.started_at.localeCompare(b.record.started_at));
  return running.at(-1) ?? user;
}

/** Returns the record of the sandbox that uses a state folder, with its file. */
export function findUserOf(dataDir: string): { record: ServerRecord; file: string } | undefined {
  const record = readServerRecord(dataDir);
  return record && { record, file: path.join(dataDir, STATE_RECORD) };
}

/** Lists the records in a folder of sandboxes with their state elsewhere. */
function linksIn(dataDir: string): string[] {
  const names = fs.statSync(dataDir, { throwIfNoEntry: false })?.isDirectory()
    ? fs.readdirSync(dataDir)
    : [];
  return names.filter((name) => LINK_RECORD.test(name)).map((name) => path.join(dataDir, name));
}

/** The name of the record in the state folder that a sandbox uses. */
const STATE_RECORD = 'server.json';
/** The record of a sandbox with its state elsewhere, in `.sandlot` of the folder in which it was started. */
const LINK_RECORD = /^server-\d+\.json$/;

function readRecord(file: string): ServerRecord | undefined {
  try {
    const record: unknown = JSON.parse(fs.readFileSync(file, 'utf8'));
    return isServerRecord(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the record of the sandbox that uses a state folder. */
export function writeServerRecord(dataDir: string, record: ServerRecord): void {
  makePrivateFolder(dataDir);
  writeRecord(path.join(dataDir, STATE_RECORD), record);
}

/** Removes the record, if there is one. */
export function removeServerRecord(dataDir: string): void {
  fs.rmSync(path.join(dataDir, STATE_RECORD), { force: true });
}

/**
 * Writes the record of a sandbox with its state elsewhere to the folder in which it was started.
 * @param dataDir `.sandlot` in that folder
 * @returns a function that removes what was written
 */
export function linkServerRecord(dataDir: string, record: ServerRecord): () => void {
  const file = path.join(dataDir, `server-${record.pid}.json`);
  try {
    makeStateFolder(dataDir);
    removeStaleLinks(dataDir);
    writeRecord(file, record);
    return () => {
      fs.rmSync(file, { force: true });
      removeUnusedStateFolder(dataDir);
    };
  } catch {
    // In a folder that cannot be written, commands find the sandbox at the default address or with --url.
    return () => {};
  }
}

/** Removes the records of sandboxes that were killed. */
function removeStaleLinks(dataDir: string): void {
  for (const file of linksIn(dataDir)) {
    const record = readRecord(file);
    if (!record || !isServerAlive(record)) fs.rmSync(file, { force: true });
  }
}

/** Writes a record atomically. */
function writeRecord(file: string, record: ServerRecord): void {
  const draft = `${file}.${process.pid}`;
  fs.writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: PRIVATE_FILE });
  fs.renameSync(draft, file);
}

function isServerRecord(value: unknown): value is ServerRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { url, pid, started_at } = value as Record<string, unknown>;
  return typeof url === 'string' && Number.isInteger(pid) && typeof started_at === 'string';
}
