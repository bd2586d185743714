import fs from 'node:fs';
import path from 'node:path';

/** Read and written by the owner only. SQLite gives the files next to a database the mode of the database. */
export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
/** The mode of mkdir by default. */
const USUAL_FOLDER = 0o777;
/** Permissions of the group and of all others. */
const OTHER_USERS = 0o077;

/**
 * Makes a folder that only its owner can enter, unless it exists, and missing folders above it with the usual mode.
 * Does not use `recursive`, with which Node.js never returns for a folder below /proc.
 */
export function makePrivateFolder(dir: string, mode = PRIVATE_FOLDER): void {
  const parent = path.dirname(dir);
  if (!fs.existsSync(parent)) makePrivateFolder(parent, USUAL_FOLDER);
  try {
    fs.mkdirSync(dir, mode);
  } catch (error) {
    if (!fs.statSync(dir, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

const GIT_IGNORE = '.gitignore';
/** All that sandlot and its tools write into a state folder, as git spells it. */
const STATE_NAMES = [
  GIT_IGNORE,
  'explore',
  'worlds',
  'snapshots',
  'lock',
  'lock-journal',
  'server.log',
  'server.json',
  'started.json',
  'started-*.json',
  'requests.db',
  'requests.db.unreadable',
  'requests.db-wal',
  'requests.db-shm',
];
const isState = (name: string) => STATE_NAMES.includes(name.replace(/^started-\d+/, 'started-*'));

/** Makes a state folder whose state git ignores. One that contains nothing else is closed to other users. */
export function makeStateFolder(dir: string): void {
  makePrivateFolder(dir);
  const hasOnlyState = fs.readdirSync(dir).every(isState);
  const ignored = hasOnlyState ? ['*'] : STATE_NAMES.map((name) => `/${name}`);
  const file = path.join(dir, GIT_IGNORE);
  // A start on a full disk leaves an empty one, with which git would take the secrets.
  if (!fs.statSync(file, { throwIfNoEntry: false })?.size)
    fs.writeFileSync(file, `${ignored.join('\n')}\n`, { mode: PRIVATE_FILE });
  if (!hasOnlyState || (fs.statSync(dir).mode & OTHER_USERS) === 0) return;
  try {
    fs.chmodSync(dir, PRIVATE_FOLDER);
  } catch (error) {
    // It belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}

/** Removes a state folder that contains nothing else than `makeStateFolder` made. */
export function removeUnusedStateFolder(dir: string): void {
  if (!fs.existsSync(dir) || fs.readdirSync(dir).some((name) => name !== GIT_IGNORE)) return;
  fs.rmSync(path.join(dir, GIT_IGNORE), { force: true });
  fs.rmdirSync(dir);
}

/** Makes an empty file that only its owner can read. An existing one is not opened: a close releases the locks on it. */
export function makePrivateFile(file: string): void {
  if (fs.statSync(file, { throwIfNoEntry: false })?.isFile()) return;
  fs.closeSync(fs.openSync(file, 'a', PRIVATE_FILE));
}
