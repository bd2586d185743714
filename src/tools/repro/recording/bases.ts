import fs from 'node:fs';
import path from 'node:path';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../../store/private-files.ts';

/** The serialized databases that recordings begin with, by name: in files beside the log, or in memory. */
export class Bases {
  readonly #dir: string | undefined;
  readonly #inMemory = new Map<string, Buffer>();

  /** @param logFile undefined for a log in memory */
  constructor(logFile: string | undefined) {
    this.#dir = logFile?.replace(/(?:\.db)?$/, '.bases');
  }

  /** @throws if the disk is full, or the state folder was deleted */
  put(name: string, bytes: Buffer): void {
    if (this.#dir === undefined) {
      this.#inMemory.set(name, bytes);
      return;
    }
    // Not recursive: a base must not bring back a deleted state folder.
    if (!fs.existsSync(this.#dir)) fs.mkdirSync(this.#dir, PRIVATE_FOLDER);
    // Only a complete file gets its name.
    const file = path.join(this.#dir, name);
    fs.writeFileSync(`${file}.new`, bytes, { mode: PRIVATE_FILE });
    fs.renameSync(`${file}.new`, file);
  }

  /** Returns undefined for a base that was not stored, because of a kill or a full disk. */
  take(name: string): Buffer | undefined {
    if (this.#dir === undefined) return this.#inMemory.get(name);
    const file = path.join(this.#dir, name);
    return fs.existsSync(file) ? fs.readFileSync(file) : undefined;
  }

  /** Deletes all others, also files that a kill has left incomplete. */
  keepOnly(names: ReadonlySet<string>): void {
    for (const name of this.#inMemory.keys()) if (!names.has(name)) this.#inMemory.delete(name);
    if (this.#dir === undefined || !fs.existsSync(this.#dir)) return;
    for (const name of fs.readdirSync(this.#dir)) {
      if (!names.has(name)) fs.rmSync(path.join(this.#dir, name), { force: true });
    }
    if (names.size === 0) fs.rmdirSync(this.#dir);
  }
}
