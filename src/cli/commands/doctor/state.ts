import fs from 'node:fs';
import path from 'node:path';
import { isServerAlive, readServerRecord } from '../../../server/record.ts';
import { lockState, StateInUseError } from '../../../server/state-lock.ts';
import { assertUsable } from '../../../store/check-file.ts';
import { UnusableStateError } from '../../../store/unusable-state.ts';
import { worldFile, worldNamesIn } from '../../../world/files.ts';
import { broken, doubtful, type Finding, fine, messageOf } from './finding.ts';

const MEGABYTE = 1024 * 1024;
/** A world of 5,000 domains takes about 5 MB, one of a million a few hundred. */
const SCARCE_BYTES = 500 * MEGABYTE;
const TOO_FEW_BYTES = 20 * MEGABYTE;

/** Whether a sandbox can keep its state in a folder: readable, of this version, not somebody else's. */
export function checkState(dataDir: string): Finding {
  if (!fs.existsSync(dataDir)) return checkPlaceFor(dataDir);
  if (!fs.statSync(dataDir).isDirectory()) {
    return broken('state', `${dataDir} is no folder`, 'use another --data-dir');
  }
  if (!isWritable(dataDir)) return unwritable(dataDir);
  const record = readServerRecord(dataDir);
  if (record && isServerAlive(record)) {
    return fine('state', `${dataDir}, in use by the sandbox with pid ${record.pid}`);
  }
  try {
    // Without a lock file nobody has been here, and looking leaves none behind.
    if (fs.existsSync(path.join(dataDir, 'lock'))) lockState(dataDir)();
    const worlds = path.join(dataDir, 'worlds');
    const names = worldNamesIn(worlds);
    const problems = names.flatMap((name) => problemOf(worldFile(worlds, name)) ?? []);
    if (problems.length > 0) {
      return broken('state', problems.join(' '), 'do what the message says; nothing was changed');
    }
    return fine(
      'state',
      `${dataDir}, ${names.length === 1 ? '1 world' : `${names.length} worlds`}`,
    );
  } catch (error) {
    const hint =
      error instanceof StateInUseError
        ? 'end the other sandlot, or use another --data-dir'
        : 'do what the message says; nothing was changed';
    return broken('state', messageOf(error), hint);
  }
}

/** Why a world's file cannot be used; undefined when it can. */
function problemOf(file: string): string | undefined {
  try {
    assertUsable(file);
    return undefined;
  } catch (error) {
    if (error instanceof UnusableStateError) return error.message;
    throw error;
  }
}

/** Whether there is room on the disk that holds a folder, or will. */
export function checkSpace(dataDir: string): Finding {
  const place = nearestFolder(dataDir);
  const { bavail, bsize } = fs.statfsSync(place);
  const free = bavail * bsize;
  const detail = `${Math.floor(free / MEGABYTE)} MB free at ${place}`;
  if (free >= SCARCE_BYTES) return fine('space', detail);
  const hint = 'make room, or keep the state elsewhere with --data-dir';
  return free < TOO_FEW_BYTES ? broken('space', detail, hint) : doubtful('space', detail, hint);
}

function checkPlaceFor(dataDir: string): Finding {
  const place = nearestFolder(dataDir);
  return isWritable(place) ? fine('state', `${dataDir} is new`) : unwritable(place);
}

function unwritable(folder: string): Finding {
  return broken(
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
