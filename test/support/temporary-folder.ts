import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 1024 ** 3;

/** A process that was killed may still be writing in a folder. */
export const REMOVAL = { recursive: true, force: true, maxRetries: 20 } as const;

let base: string | undefined;

/** Creates an empty folder; in memory where the system has room, because databases wait for every fsync of a disk. */
export function makeTemporaryFolder(prefix: string): string {
  base ??= hasRoomInMemory() ? IN_MEMORY : os.tmpdir();
  return fs.mkdtempSync(path.join(base, prefix));
}

function hasRoomInMemory(): boolean {
  try {
    fs.accessSync(IN_MEMORY, fs.constants.W_OK);
    const { bavail, bsize } = fs.statfsSync(IN_MEMORY);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
