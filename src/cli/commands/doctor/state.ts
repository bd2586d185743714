import fs from 'node:fs';
import path from 'node:path';
import { countOf } from '../../../kernel/count.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { isServerAlive, readServerRecord } from '../../../server/record.ts';
import { assertNotLocked, StateInUseError } from '../../../server/state-lock.ts';
import { assertUsable } from '../../../store/check-file.ts';
import { UnusableStateError } from '../../../store/errors.ts';
import { worldFile, worldNamesIn } from '../../../world/files.ts';
import { type Finding, failure, ok, warning } from './finding.ts';

const MEGABYTE = 1024 * 1024;
/** A world of 5,000 domains takes about 5 MB, one of a million a few hundred. */
const SCARCE_BYTES = 500 * MEGABYTE;
const TOO_FEW_BYTES = 20 * MEGABYTE;

/** Checks that a sandbox can use a state folder: it is readable, has this version and is not in use. */
export function checkState(dataDir: string): Finding {
  if (!fs.existsSync(dataDir)) return checkNewFolder(dataDir);
  if (!fs.statSync(dataDir).isDirectory()) {
    return failure('state', `${dataDir} is not a folder`, 'use another --data-dir');
  }
  if (!isWritable(dataDir)) return unwritable(dataDir);
  const record = readServerRecord(dataDir);
  if (record && isServerAlive(record)) {
    return ok('state', `${dataDir}, in use by the sandbox with pid ${record.pid}`);
  }
  try {
    // Without a lock file the folder is unused, and the check must not create one.
    if (fs.existsSync(path.join(dataDir, 'lock'))) assertNotLocked(dataDir);
    const worlds = path.join(dataDir, 'worlds');
    const names = worldNamesIn(worlds);
    const problems = names.flatMap((name) => problemOf(worldFile(worlds, name)) ?? []);
    if (problems.length > 0) {
      return failure('state', problems.join(' '), 'follow the message; nothing was changed');
    }
    return ok('state', `${dataDir}, ${countOf(names.length, 'world')}`);
  } catch (error) {
    const hint =
      error instanceof StateInUseError
        ? 'stop the other sandlot, or use another --data-dir'
        : 'follow the message; nothing was changed';
    return failure('state', messageOf(error), hint);
  }
}

function problemOf(file: string): string | undefined {
  try {
    assertUsable(file, true);
    return undefined;
  } catch (error) {
    if (error instanceof UnusableStateError) return error.message;
    throw error;
  }
}

/** Checks the free space of the disk that has the folder, or will have it. */
export function checkSpace(dataDir: string): Finding {
  const place = nearestFolder(dataDir);
  const { bavail, bsize } = fs.statfsSync(place);
  const free = bavail * bsize;
  const detail = `${Math.floor(free / MEGABYTE)} MB free at ${place}`;
  if (free >= SCARCE_BYTES) return ok('space', detail);
  const hint = 'free some space, or use another --data-dir';
  return free < TOO_FEW_BYTES ? failure('space', detail, hint) : warning('space', detail, hint);
}

function checkNewFolder(dataDir: string): Finding {
  const place = nearestFolder(dataDir);
  return isWritable(place) ? ok('state', `${dataDir} is new`) : unwritable(place);
}

function unwritable(folder: string): Finding {
  return failure(
    'state',
    `${folder} cannot be read and written by this user`,
    'use another --data-dir, or --ephemeral to keep the state in memory',
  );
}

function isWritable(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function nearestFolder(folder: string): string {
  const parent = path.dirname(folder);
  return fs.existsSync(folder) || parent === folder ? folder : nearestFolder(parent);
}
