import fs from 'node:fs';
import path from 'node:path';
import { makePrivateFolder, PRIVATE_FILE } from '../store/private-files.ts';

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

/** Reads the record of the running sandbox; undefined if it is missing or unreadable. */
export function readServerRecord(dataDir: string): ServerRecord | undefined {
  try {
    const record: unknown = JSON.parse(fs.readFileSync(recordFile(dataDir), 'utf8'));
    return isServerRecord(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the record atomically. */
export function writeServerRecord(dataDir: string, record: ServerRecord): void {
  makePrivateFolder(dataDir);
  const file = recordFile(dataDir);
  const draft = `${file}.${process.pid}`;
  fs.writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: PRIVATE_FILE });
  fs.renameSync(draft, file);
}

/** Removes the record, if there is one. */
export function removeServerRecord(dataDir: string): void {
  fs.rmSync(recordFile(dataDir), { force: true });
}

function recordFile(dataDir: string): string {
  return path.join(dataDir, 'server.json');
}

function isServerRecord(value: unknown): value is ServerRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { url, pid, started_at } = value as Record<string, unknown>;
  return typeof url === 'string' && Number.isInteger(pid) && typeof started_at === 'string';
}
