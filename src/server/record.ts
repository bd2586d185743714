import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isLoopbackName } from '../kernel/addresses.ts';
import { makeStateFolder, PRIVATE_FILE, removeUnusedStateFolder } from '../store/private-files.ts';

/** The folder of state and records in a working directory. */
export const DEFAULT_DATA_DIR = '.sandlot';

/** A running sandbox, as commands find it. */
export interface ServerRecord {
  url: string;
  pid: number;
  started_at: string;
}

interface RecordFile {
  record: ServerRecord;
  file: string;
}

/** The file in the state folder that a sandbox uses. Such a file lists the records of sandboxes. */
const STATE_RECORD = 'server.json';
/** The file of sandboxes with their state elsewhere, in `.sandlot` of the folder in which they were started. */
const OTHER_RECORD = 'started.json';

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

/** Finds the record of the running sandbox that uses a state folder. */
export function findServerOf(dataDir: string): RecordFile | undefined {
  return readRecords(path.join(dataDir, STATE_RECORD)).at(-1);
}

/**
 * Returns the newest running sandbox that was started in a folder: with the state there, in memory or with another state
 * folder.
 * @param dataDir `.sandlot` in that folder
 */
export function findStartedIn(dataDir: string): RecordFile | undefined {
  return [STATE_RECORD, OTHER_RECORD]
    .flatMap((name) => readRecords(path.join(dataDir, name)))
    .sort((a, b) => a.record.started_at.localeCompare(b.record.started_at))
    .at(-1);
}

/**
 * Leaves out records of ended processes, and those of another machine: they came with a copied folder, and commands would
 * send the control token there.
 * @returns none if the file is missing or being written
 */
function readRecords(file: string): RecordFile[] {
  try {
    const records: ServerRecord[] = JSON.parse(fs.readFileSync(file, 'utf8'));
    return records
      .map(({ url, pid, started_at }) => ({
        record: { url: new URL(url).origin, pid, started_at: String(started_at) },
        file,
      }))
      .filter(({ record }) => isOwn(record) && isServerAlive(record));
  } catch {
    return [];
  }
}

function isOwn({ url }: ServerRecord): boolean {
  const address = new URL(url).hostname.replace(/[[\]]/g, '');
  const interfaces = () => Object.values(os.networkInterfaces()).flat();
  return isLoopbackName(address) || interfaces().some((own) => own?.address === address);
}

interface Folders {
  /** The state folder, if the state is not in memory. */
  dataDir?: string | undefined;
  /** `.sandlot` in the folder in which the sandbox was started. */
  startedIn?: string | undefined;
}

/** Adds the record of a sandbox, so that commands find it. @returns a function that removes it */
export function writeServerRecord(
  record: ServerRecord,
  { dataDir, startedIn }: Folders,
): () => void {
  const write = (file: string, own: readonly ServerRecord[] = [record]) => {
    const others = readRecords(file).map((other) => other.record);
    const records = [...others.filter(({ pid }) => pid !== record.pid), ...own];
    if (records.length === 0) fs.rmSync(file, { force: true });
    else fs.writeFileSync(file, `${JSON.stringify(records, null, 2)}\n`, { mode: PRIVATE_FILE });
    return () => write(file, []);
  };
  const removals: (() => unknown)[] = [];
  if (dataDir !== undefined) removals.push(write(path.join(dataDir, STATE_RECORD)));
  if (startedIn !== undefined && startedIn !== dataDir) {
    try {
      makeStateFolder(startedIn);
      // Runs after the records are removed, and also if the record cannot be written.
      removals.push(() => removeUnusedStateFolder(startedIn));
      removals.unshift(write(path.join(startedIn, OTHER_RECORD)));
    } catch {
      // In a folder that cannot be written, commands find the sandbox at the default address or with --url.
    }
  }
  return () => {
    for (const remove of removals) remove();
  };
}
