import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Assets } from './assets.ts';

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
const OTHER_USERS = 0o077;

type Environment = Record<string, string | undefined>;

/** The parts of the machine that are used here. */
interface Machine {
  /** Loads a shared library, to learn whether the system allows it in that folder. */
  load: (file: string) => void;
  env?: Environment;
  temporary?: string;
}

/**
 * Unpacks the assets into a folder named after their digest, which only the user can enter: in the cache folder of the
 * system, or else among the temporary files.
 * @returns the folder of this version
 * @throws Error if neither can be used
 */
export function openCacheFolder(assets: Assets, machine: Machine): string {
  const { load, env = process.env, temporary = os.tmpdir() } = machine;
  const user = process.geteuid?.() ?? os.userInfo().username;
  try {
    return openIn(path.resolve(defaultCacheFolder(env)), assets, load);
  } catch {
    // Unknown, of another user, read-only, full or noexec.
  }
  try {
    return openIn(path.join(temporary, `sandlot-${user}`), assets, load);
  } catch (error) {
    throw new Error(
      `no folder to unpack SQLite into: ${messageOf(error)}; set XDG_CACHE_HOME or TMPDIR to a folder that only you can change, on a file system without noexec`,
    );
  }
}

/**
 * Returns the folder of the system for files that can be deleted at any time.
 * @throws Error if the user has no home folder: containers run under user ids without a passwd entry
 */
function defaultCacheFolder(env: Environment): string {
  const inHome = (...names: string[]) => path.join(os.homedir(), ...names);
  if (process.platform === 'win32') {
    return path.join(env.LOCALAPPDATA || inHome('AppData', 'Local'), 'sandlot', 'Cache');
  }
  if (process.platform === 'darwin') return inHome('Library', 'Caches', 'sandlot');
  const xdg = env.XDG_CACHE_HOME;
  return path.join(xdg && path.isAbsolute(xdg) ? xdg : inHome('.cache'), 'sandlot');
}

function openIn(cache: string, assets: Assets, load: Machine['load']): string {
  fs.mkdirSync(cache, { recursive: true, mode: PRIVATE_FOLDER });
  assertOwn(cache);
  const folder = path.join(cache, assets.digest);
  if (!isComplete(folder, assets)) unpack(cache, assets, load);
  return folder;
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

/** Whether each asset exists and has its size. */
function isComplete(folder: string, assets: Assets): boolean {
  return assets.names.every((name) => {
    const found = fs.lstatSync(path.join(folder, name), { throwIfNoEntry: false });
    return found?.isFile() && found.size === assets.read(name).byteLength;
  });
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
