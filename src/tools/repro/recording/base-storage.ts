import fs from 'node:fs';
import path from 'node:path';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../../store/private-files.ts';

/** Stores the serialized databases that recordings begin with, by name. */
export interface BaseStorage {
  put(name: string, bytes: Buffer): void;
  /** Returns undefined for a base that a kill has kept from being stored. */
  take(name: string): Buffer | undefined;
  /** Deletes all others. */
  keepOnly(names: ReadonlySet<string>): void;
  /** Resolves when everything is stored or deleted. */
  settled(): Promise<void>;
}

export function memoryBases(): BaseStorage {
  const bases = new Map<string, Buffer>();
  return {
    put: (name, bytes) => void bases.set(name, bytes),
    take: (name) => bases.get(name),
    keepOnly(names) {
      for (const name of bases.keys()) if (!names.has(name)) bases.delete(name);
    },
    settled: () => Promise.resolve(),
  };
}

/** The folder of the bases of a log. */
export function basesFolder(logFile: string): string {
  return logFile.replace(/(?:\.db)?$/, '.bases');
}

/** Keeps bases as files, which are written away from the event loop. */
export class FolderBases implements BaseStorage {
  readonly #dir: string;
  readonly #report: (error: unknown) => void;
  /** Bases that are not stored yet. */
  readonly #pending = new Map<string, Buffer>();
  #last: Promise<void> = Promise.resolve();
  #names: Set<string> | undefined;

  /** @param report called with errors of writes */
  constructor(dir: string, report: (error: unknown) => void) {
    this.#dir = dir;
    this.#report = report;
  }

  put(name: string, bytes: Buffer): void {
    this.#pending.set(name, bytes);
    this.#known.add(name);
    this.#then(async () => {
      if (!this.#pending.has(name)) return;
      try {
        await this.#write(name, bytes);
      } finally {
        this.#pending.delete(name);
      }
    });
  }

  take(name: string): Buffer | undefined {
    const pending = this.#pending.get(name);
    if (pending) return pending;
    const file = this.#fileOf(name);
    return fs.existsSync(file) ? fs.readFileSync(file) : undefined;
  }

  keepOnly(names: ReadonlySet<string>): void {
    for (const name of this.#known) {
      if (names.has(name)) continue;
      this.#known.delete(name);
      this.#pending.delete(name);
      this.#then(() => fs.promises.rm(this.#fileOf(name), { force: true }));
    }
    // Fails while there are any.
    if (names.size === 0) this.#then(() => fs.promises.rmdir(this.#dir).catch(() => {}));
  }

  settled(): Promise<void> {
    return this.#last;
  }

  /** The files in the folder, also those that a kill has left incomplete. */
  get #known(): Set<string> {
    this.#names ??= new Set(fs.existsSync(this.#dir) ? fs.readdirSync(this.#dir) : []);
    return this.#names;
  }

  /** Only a complete file gets its name. */
  async #write(name: string, bytes: Buffer): Promise<void> {
    const file = this.#fileOf(name);
    const temporary = `${file}.new`;
    // Not recursive: a base must not bring back a deleted state folder.
    if (!fs.existsSync(this.#dir)) await fs.promises.mkdir(this.#dir, PRIVATE_FOLDER);
    try {
      await fs.promises.writeFile(temporary, bytes, { mode: PRIVATE_FILE });
      await fs.promises.rename(temporary, file);
    } catch (error) {
      await fs.promises.rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
  }

  #then(act: () => Promise<void>): void {
    this.#last = this.#last.then(act).catch(this.#report);
  }

  #fileOf(name: string): string {
    return path.join(this.#dir, name);
  }
}
