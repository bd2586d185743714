import fs from 'node:fs';
import path from 'node:path';
import { UnusableStateError } from './unusable-state.ts';

/** Only the owner reads and writes it. SQLite gives the files beside a database the mode of the database. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;
const OTHER_USERS = 0o077;

/**
 * Makes a folder of the state that only its owner can enter, and folders above it as usual. Nothing happens when it
 * is there. Not `recursive`: below /proc, Node.js would try for ever.
 * @throws UnusableStateError when something else is in its place
 */
export function makePrivateFolder(dir: string): void {
  if (fs.statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return;
  makeFolder(path.dirname(dir), undefined);
  makeFolder(dir, PRIVATE_FOLDER);
}

function makeFolder(dir: string, mode: number | undefined): void {
  const found = fs.statSync(dir, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  if (found) {
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
    // Another process may have been quicker.
    if (!fs.statSync(dir, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** Makes an empty file that only its owner can read. Nothing happens when it is there. */
export function makePrivateFile(file: string): void {
  fs.closeSync(fs.openSync(file, 'a', PRIVATE_FILE));
}

/** What sandlot keeps in a state folder. */
const FOLDERS = ['worlds', 'snapshots', 'requests'];
const FILES = /^(?:\.gitignore|lock(?:-journal)?|server\.(?:log|json(?:\.\d+)?))$/;

/**
 * Takes other users' rights to a state folder away, where an older version or the user's umask left some. A folder
 * that holds anything else keeps its own mode; what sandlot keeps in it does not.
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
  for (const each of fs.readdirSync(at, { withFileTypes: true })) makePrivate(at, each);
}

/** A folder may be another user's, who has let this one in: then it is not this one's to close. */
function closeToOthers(at: string, mode: number): void {
  if ((fs.statSync(at).mode & OTHER_USERS) === 0) return;
  try {
    fs.chmodSync(at, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}
