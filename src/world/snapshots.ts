import fs from 'node:fs';
import path from 'node:path';
import { conflict, notFound } from '../kernel/errors.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { UnusableStateError } from '../store/errors.ts';
import {
  alterCopy,
  closeStore,
  openCopy,
  removeDatabaseFile,
  replaceByStaged,
  type Store,
  serializeStore,
} from '../store/open.ts';
import { makePrivateFolder } from '../store/private-files.ts';
import { worldTable } from '../store/schema/world.ts';
import { assertValidName, namesIn, worldFile } from './files.ts';
import type { RunningRequest } from './run.ts';
import type { World } from './world.ts';

/** A stored snapshot. */
export interface Snapshot {
  name: string;
  sizeBytes: number;
  /** Real time at which it was saved, Unix ms. */
  savedAt: number;
}

type StoredInMemory = Pick<Snapshot, 'savedAt'> & { database: Buffer };

/** The snapshots of all worlds, by name: files `<dir>/<world>/<name>.db`, or databases in memory. */
export class Snapshots {
  readonly #dir: string | undefined;
  readonly #runtime: Runtime;
  /** By `<world>/<name>`. */
  readonly #inMemory = new Map<string, StoredInMemory>();

  /** @param dir undefined keeps snapshots in memory */
  constructor(dir: string | undefined, runtime: Runtime) {
    this.#dir = dir;
    this.#runtime = runtime;
  }

  /** Names of the snapshots of a world, in order. */
  names({ name: world }: World): string[] {
    if (this.#dir !== undefined) return namesIn(path.join(this.#dir, world));
    const keys = [...this.#inMemory.keys()].filter((key) => key.startsWith(`${world}/`));
    return keys.map((key) => key.slice(world.length + 1)).sort();
  }

  has(world: World, name: string): boolean {
    return this.#findSource(world, name) !== undefined;
  }

  /** @throws not_found */
  require(world: World, name: string): Snapshot {
    const source = this.#requireSource(world, name);
    if (typeof source !== 'string') {
      return { name, sizeBytes: source.database.length, savedAt: source.savedAt };
    }
    const { size, mtime } = fs.statSync(source);
    return { name, sizeBytes: size, savedAt: mtime.getTime() };
  }

  /**
   * Saves a snapshot of the world with everything that was acknowledged, and returns it.
   * @throws validation_error, conflict for an existing name without `replace`
   */
  save(world: World, name: string, request?: RunningRequest, { replace = false } = {}): Snapshot {
    assertValidName(name);
    if (!replace && this.has(world, name)) {
      throw conflict(
        `name: snapshot "${name}" of ${world.name} already exists; pass \`replace\` to overwrite it`,
      );
    }
    world.recordRun(request);
    const savedAt = this.#runtime.now();
    const file = this.#fileOf(world, name);
    if (this.#dir !== undefined) {
      makePrivateFolder(this.#dir);
      makePrivateFolder(path.join(this.#dir, world.name));
    }
    const copy = alterCopy(openCopy(world.serialize(), file), ({ db }) => {
      db.update(worldTable).set({ savedAt }).run();
    });
    if (copy.file === undefined) {
      this.#inMemory.set(`${world.name}/${name}`, { database: serializeStore(copy), savedAt });
    }
    closeStore(copy);
    if (copy.file !== undefined) {
      // `require` reads this time from the file.
      fs.utimesSync(copy.file, new Date(savedAt), new Date(savedAt));
      replaceByStaged(copy.file);
    }
    return this.require(world, name);
  }

  /**
   * Opens a copy of a snapshot, from which a world is made.
   * @param file of that world; undefined for one in memory
   * @throws not_found, conflict if it cannot be used
   */
  open(world: World, name: string, file: string | undefined): Store {
    const source = this.#requireSource(world, name);
    try {
      const database = typeof source === 'string' ? fs.readFileSync(source) : source.database;
      return openCopy(database, file, 'quick');
    } catch (error) {
      if (!(error instanceof UnusableStateError)) throw error;
      throw conflict(`snapshot ${name}: it is ${error.message}. Delete the snapshot.`);
    }
  }

  /** @throws not_found */
  delete(world: World, name: string): void {
    const source = this.#requireSource(world, name);
    if (typeof source === 'string') removeDatabaseFile(source);
    else this.#inMemory.delete(`${world.name}/${name}`);
  }

  deleteAllOf(world: World): void {
    for (const name of this.names(world)) this.delete(world, name);
    if (this.#dir !== undefined) {
      fs.rmSync(path.join(this.#dir, world.name), { recursive: true, force: true });
    }
  }

  #fileOf(world: World, name: string): string | undefined {
    return this.#dir && worldFile(path.join(this.#dir, world.name), name);
  }

  /** Returns the file of a snapshot, or what is kept in memory. @param name any text, also the path of another file */
  #findSource(world: World, name: string): string | StoredInMemory | undefined {
    if (this.#dir === undefined) return this.#inMemory.get(`${world.name}/${name}`);
    return this.names(world).includes(name) ? this.#fileOf(world, name) : undefined;
  }

  /** @throws not_found */
  #requireSource(world: World, name: string): string | StoredInMemory {
    const source = this.#findSource(world, name);
    if (source !== undefined) return source;
    throw notFound(
      `snapshot: snapshot "${name}" of world ${world.name} not found; existing snapshots: ${this.names(world).join(', ') || 'none'}`,
    );
  }
}
