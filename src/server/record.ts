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

/** With the file in which it was written: a copy of the folder has it too. */
type RecordFile = ServerRecord & { file: string };

/** The record of the sandbox that uses a state folder. */
const STATE_RECORD = 'server.json';
/** The records of other sandboxes that were started in the folder: a file each, as several can start at once. */
const OTHER_RECORD = /^started.*\.json$/;

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

/** Returns the newest running sandbox that was started in a folder or has its state there. @param dataDir its `.sandlot` */
export function findStartedIn(dataDir: string): RecordFile | undefined {
  return [path.join(dataDir, STATE_RECORD), ...otherRecords(dataDir)]
    .flatMap((file) => readRecord(file) ?? [])
    .sort((a, b) => a.started_at.localeCompare(b.started_at))
    .at(-1);
}

function otherRecords(dataDir: string): string[] {
  try {
    const names = fs.readdirSync(dataDir).filter((name) => OTHER_RECORD.test(name));
    return names.map((name) => path.join(dataDir, name));
  } catch {
    return [];
  }
}

/**
 * Leaves out the record of an ended process, and that of another machine or folder: it came with a copied folder, and
 * commands would send the control token there, or stop the sandbox of the original.
 * @returns undefined also if the file is missing or being written
 */
function readRecord(file: string): RecordFile | undefined {
  try {
    const stored: RecordFile = JSON.parse(fs.readFileSync(file, 'utf8'));
    const { origin } = new URL(stored.url);
    const record = { ...stored, url: origin, started_at: String(stored.started_at) };
    const isHere = record.file === fs.realpathSync(file) && isOwn(record);
    return isHere && isServerAlive(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

function isOwn({ url }: ServerRecord): boolean {
  const address = new URL(url).hostname.replace(/[[\]]/g, '');
  const interfaces = () => Object.values(os.networkInterfaces()).flat();
  return isLoopbackName(address) || interfaces().some((own) => own?.address === address);
}

/**
 * Adds the record of a sandbox, so that commands find it.
 * @param folders.dataDir the state folder, if the state is not in memory
 * @param folders.startedIn `.sandlot` in the folder in which the sandbox was started
 * @returns a function that removes it
 */
export function writeServerRecord(
  record: ServerRecord,
  { dataDir, startedIn }: { dataDir?: string | undefined; startedIn?: string | undefined },
): () => void {
  const write = (folder: string, name: string) => {
    const file = path.join(fs.realpathSync(folder), name);
    const text = JSON.stringify({ ...record, file }, null, 2);
    fs.writeFileSync(file, `${text}\n`, { mode: PRIVATE_FILE });
    return () => fs.rmSync(file, { force: true });
  };
  const removals: (() => void)[] = [];
  if (dataDir !== undefined) removals.push(write(dataDir, STATE_RECORD));
  if (startedIn !== undefined && startedIn !== dataDir) {
    try {
      makeStateFolder(startedIn);
      // Runs after the records are removed, and also if the record cannot be written.
      removals.push(() => removeUnusedStateFolder(startedIn));
      removals.unshift(write(startedIn, `started-${record.pid}.json`));
      for (const file of otherRecords(startedIn)) {
        // By its name: a record can be incomplete while it is written.
        const pid = Number(/-(\d+)\.json$/.exec(file)?.[1]);
        if (!isServerAlive({ pid })) fs.rmSync(file, { force: true });
      }
    } catch {
      // In a folder that cannot be written, commands find the sandbox at the default address or with --url.
    }
  }
  return () => {
    for (const remove of removals) remove();
  };
}
