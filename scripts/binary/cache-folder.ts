import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Assets } from './assets.ts';

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
const OTHER_USERS = 0o077;
const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

type Environment = Record<string, string | undefined>;

/** Throws if another user could change the folder. */
type Check = (folder: string) => void;

/** The parts of the machine that are used here. */
interface Machine {
  /** Loads a shared library, to learn whether the system allows it in that folder. */
  load: (file: string) => void;
  env?: Environment;
  temporary?: string;
}

/**
 * Unpacks the assets into a folder named after their digest, which only the user can enter.
 * Without a usable cache folder, it takes a private one among the temporary files.
 * @returns the folder of this version
 * @throws Error if neither, or the folder of SANDLOT_CACHE_DIR, can be used
 */
export function openCacheFolder(assets: Assets, machine: Machine): string {
  const { load, env = process.env, temporary = os.tmpdir() } = machine;
  const open = (folder: string, check: Check) => openIn(path.resolve(folder), check, assets, load);
  if (env.SANDLOT_CACHE_DIR) {
    try {
      return open(env.SANDLOT_CACHE_DIR, assertPrivate);
    } catch (error) {
      throw new Error(
        `SANDLOT_CACHE_DIR: ${messageOf(error)}; set it to a folder that only you can change, on a file system without noexec`,
      );
    }
  }
  const user = process.geteuid?.() ?? os.userInfo().username;
  try {
    return open(defaultCacheFolder(env), assertPrivate);
  } catch {
    // Unknown, of another user, read-only, full or noexec.
  }
  try {
    return open(path.join(temporary, `sandlot-${user}`), assertOwn);
  } catch (error) {
    throw new Error(
      `no folder to unpack SQLite into: ${messageOf(error)}; set SANDLOT_CACHE_DIR to a folder that only you can change, on a file system without noexec`,
    );
  }
}

/**
 * Returns the folder of the system for files that can be deleted at any time.
 * @throws Error if the user has no home folder: containers run under user ids without a passwd entry
 */
export function defaultCacheFolder(env: Environment, platform = process.platform): string {
  const inHome = (...names: string[]) => path.join(os.homedir(), ...names);
  if (platform === 'win32') {
    return path.join(env.LOCALAPPDATA || inHome('AppData', 'Local'), 'sandlot', 'Cache');
  }
  if (platform === 'darwin') return inHome('Library', 'Caches', 'sandlot');
  const xdg = env.XDG_CACHE_HOME;
  return path.join(xdg && path.isAbsolute(xdg) ? xdg : inHome('.cache'), 'sandlot');
}

function openIn(cache: string, check: Check, assets: Assets, load: Machine['load']): string {
  makeFolder(cache);
  check(cache);
  const folder = path.join(cache, assets.digest);
  if (!isComplete(folder, assets)) unpack(cache, assets, load);
  return folder;
}

/** Not `recursive`: below /proc, Node.js would try forever. */
function makeFolder(folder: string): void {
  if (fs.statSync(folder, { throwIfNoEntry: false })) return;
  const parent = path.dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    fs.mkdirSync(folder, PRIVATE_FOLDER);
  } catch (error) {
    // Another process may have created it.
    if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/**
 * Checks that no other user can change the contents of a folder, or put another folder in its place.
 * @throws Error that says who can
 */
function assertPrivate(name: string): void {
  const folder = fs.realpathSync(name);
  assertOwn(folder);
  const uid = process.geteuid?.();
  if (uid === undefined) return;
  for (let above = path.dirname(folder); ; above = path.dirname(above)) {
    const { uid: owner, mode } = fs.statSync(above);
    if (owner !== uid && owner !== 0) throw new Error(`${above} belongs to another user`);
    if (mode & OTHERS_WRITE && !(mode & STICKY)) throw new Error(`others can write to ${above}`);
    if (above === path.dirname(above)) return;
  }
}

/** Checks that a folder belongs to the user, and removes the access of others. */
function assertOwn(folder: string): void {
  const found = fs.lstatSync(folder);
  if (!found.isDirectory()) throw new Error(`${folder} is not a folder`);
  const uid = process.geteuid?.();
  // On Windows, other users cannot access the profile of a user.
  if (uid === undefined) return;
  if (found.uid !== uid) throw new Error(`${folder} belongs to another user`);
  if (found.mode & OTHER_USERS) fs.chmodSync(folder, PRIVATE_FOLDER);
}

/** Whether each asset exists, has its size and belongs to the user, so that no other user has changed it. */
function isComplete(folder: string, assets: Assets): boolean {
  const itself = fs.lstatSync(folder, { throwIfNoEntry: false });
  if (!itself?.isDirectory() || !isClosed(itself)) return false;
  return assets.names.every((name) => {
    const found = fs.lstatSync(path.join(folder, name), { throwIfNoEntry: false });
    return found?.isFile() && found.size === assets.read(name).byteLength && isClosed(found);
  });
}

function isClosed({ uid, mode }: fs.Stats): boolean {
  const own = process.geteuid?.();
  return own === undefined || (uid === own && (mode & OTHERS_WRITE) === 0);
}

/** Unpacks into a new folder and renames it: of several processes, the first one wins. */
function unpack(cache: string, assets: Assets, load: Machine['load']): void {
  const fresh = fs.mkdtempSync(path.join(cache, 'new-'));
  try {
    const library = write(assets.library);
    try {
      load(library);
    } catch (error) {
      throw new Error(`the system loads no code from ${cache}: ${messageOf(error)}`);
    }
    for (const name of assets.names) if (name !== assets.library) write(name);
    moveInPlace(fresh, path.join(cache, assets.digest), assets);
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true });
  }

  function write(name: string): string {
    const file = path.join(fresh, name);
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
    fs.writeFileSync(file, assets.read(name), { mode: PRIVATE_FILE, flag: 'wx' });
    return file;
  }
}

function moveInPlace(fresh: string, folder: string, assets: Assets): void {
  try {
    fs.renameSync(fresh, folder);
  } catch (error) {
    if (!fs.lstatSync(folder, { throwIfNoEntry: false })) throw error;
    if (isComplete(folder, assets)) return;
    // The folder is damaged. A rename keeps the files that running processes have open.
    const damaged = fs.mkdtempSync(path.join(path.dirname(folder), 'new-'));
    fs.renameSync(folder, path.join(damaged, 'damaged'));
    fs.renameSync(fresh, folder);
    fs.rmSync(damaged, { recursive: true, force: true });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
