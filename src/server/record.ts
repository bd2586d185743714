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

/** The name of the record in the state folder that a sandbox uses. */
const STATE_RECORD = 'server.json';
/** The record of the newest sandbox with its state elsewhere, in `.sandlot` of the folder in which it was started. */
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
  return readRecord(path.join(dataDir, STATE_RECORD));
}

/**
 * Returns the newest running sandbox that was started in a folder: with the state there, in memory or with another state
 * folder.
 * @param dataDir `.sandlot` in that folder
 */
export function findStartedIn(dataDir: string): RecordFile | undefined {
  return [findServerOf(dataDir), readRecord(path.join(dataDir, OTHER_RECORD))]
    .filter((entry) => entry !== undefined)
    .sort((a, b) => a.record.started_at.localeCompare(b.record.started_at))
    .at(-1);
}

/**
 * @returns undefined if it is missing, being written or of an ended process. A record of another machine is not followed:
 * it came with a copied folder, and commands would send the control token there.
 */
function readRecord(file: string): RecordFile | undefined {
  try {
    const { url, pid, started_at }: ServerRecord = JSON.parse(fs.readFileSync(file, 'utf8'));
    const record = { url: new URL(url).origin, pid, started_at: String(started_at) };
    const address = new URL(url).hostname.replace(/[[\]]/g, '');
    const interfaces = () => Object.values(os.networkInterfaces()).flat();
    const isOwn = isLoopbackName(address) || interfaces().some((own) => own?.address === address);
    if (isOwn && isServerAlive(record)) return { record, file };
  } catch {}
  return undefined;
}

interface Folders {
  /** The state folder, if the state is not in memory. */
  dataDir?: string | undefined;
  /** `.sandlot` in the folder in which the sandbox was started. */
  startedIn?: string | undefined;
}

/** Writes the record of a sandbox, so that commands find it. @returns a function that puts back what it replaced */
export function writeServerRecord(
  record: ServerRecord,
  { dataDir, startedIn }: Folders,
): () => void {
  const write = (file: string) => {
    const earlier = readRecord(file) && fs.readFileSync(file);
    fs.writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`, { mode: PRIVATE_FILE });
    return () => {
      // Not if another sandbox, started since, has replaced it.
      if (readRecord(file)?.record.pid !== record.pid) return;
      if (earlier) fs.writeFileSync(file, earlier);
      // The earlier sandbox may have ended too.
      if (!earlier || !readRecord(file)) fs.rmSync(file);
    };
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
