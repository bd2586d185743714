import fs from 'node:fs';
import path from 'node:path';
import { UnusableStateError } from './errors.ts';

/** Read and written by the owner only. SQLite gives the files next to a database the mode of the database. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;
const OTHER_USERS = 0o077;

/**
 * Makes a folder that only its owner can enter, unless it exists, and missing folders above it with the usual mode.
 * Does not use `recursive`, with which Node.js never returns for a folder below /proc.
 * @throws UnusableStateError if the path is not a folder
 */
export function makePrivateFolder(dir: string): void {
  if (fs.statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return;
  makeFolder(path.dirname(dir), undefined);
  makeFolder(dir, PRIVATE_FOLDER);
}

/** Makes a state folder, which git ignores. */
export function makeStateFolder(dir: string): void {
  makePrivateFolder(dir);
  const ignore = path.join(dir, GIT_IGNORE);
  if (!fs.existsSync(ignore)) fs.writeFileSync(ignore, '*\n', { mode: PRIVATE_FILE });
}

/** Removes a state folder that contains nothing else than `makeStateFolder` made. */
export function removeUnusedStateFolder(dir: string): void {
  if (!fs.existsSync(dir) || fs.readdirSync(dir).some((name) => name !== GIT_IGNORE)) return;
  fs.rmSync(path.join(dir, GIT_IGNORE), { force: true });
  fs.rmdirSync(dir);
}

const GIT_IGNORE = '.gitignore';

function makeFolder(dir: string, mode: number | undefined): void {
  const stats = fs.statSync(dir, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return;
  if (stats) {
    throw new UnusableStateError(`${dir} is not a folder. Start with another --data-dir.`);
  }
  if (fs.lstatSync(dir, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new UnusableStateError(
      `${dir} is a link to ${fs.readlinkSync(dir)}, which does not exist. Create that folder, or start with another --data-dir.`,
    );
  }
  const parent = path.dirname(dir);
  if (parent !== dir) makeFolder(parent, undefined);
  try {
    fs.mkdirSync(dir, mode);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!fs.statSync(dir, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** Makes an empty file that only its owner can read, unless it exists. */
export function makePrivateFile(file: string): void {
  fs.closeSync(fs.openSync(file, 'a', PRIVATE_FILE));
}

const FOLDERS = ['worlds', 'snapshots'];
const FILES =
  /^(?:\.gitignore|lock(?:-journal)?|server\.(?:log|json)|requests\.db(?:\.unreadable|-wal|-shm)?)$/;

/**
 * Removes the access of other users to the files of a state folder, which an older version or the umask may have left.
 * Also closes the folder itself if it holds nothing but the state.
 */
export function makeStatePrivate(dataDir: string): void {
  const entries = fs.readdirSync(dataDir, { withFileTypes: true });
  const isOwn = (entry: fs.Dirent) =>
    entry.isDirectory() ? FOLDERS.includes(entry.name) : FILES.test(entry.name);
  if (entries.every(isOwn)) closeToOthers(dataDir, PRIVATE_FOLDER);
  for (const entry of entries.filter(isOwn)) makePrivate(dataDir, entry);
}

function makePrivate(folder: string, entry: fs.Dirent): void {
  const at = path.join(folder, entry.name);
  if (entry.isFile()) closeToOthers(at, PRIVATE_FILE);
  if (!entry.isDirectory()) return;
  closeToOthers(at, PRIVATE_FOLDER);
  for (const child of fs.readdirSync(at, { withFileTypes: true })) makePrivate(at, child);
}

/** Does nothing for a file of another user. */
function closeToOthers(at: string, mode: number): void {
  if ((fs.statSync(at).mode & OTHER_USERS) === 0) return;
  try {
    fs.chmodSync(at, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}
