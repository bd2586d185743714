import { conflict, notFound } from '../kernel/errors.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { type Store, serialiseStore } from '../store/open.ts';
import { StateRefusedError } from '../store/unusable-state.ts';
import { world as worldTable } from '../store/schema/world.ts';
import { refuseBadName } from './files.ts';
import type { SnapshotCard } from './snapshot-metadata.ts';
import type { SnapshotShelf } from './snapshot-storage.ts';
import type { World } from './world.ts';

/** A snapshot as it lies there. */
export interface Snapshot {
  name: string;
  sizeBytes: number;
  /** What it says of itself; or, where it cannot be read, a sentence that says why. */
  card: SnapshotCard | { problem: string };
}

/** Worlds as they were at a moment, by name. Each belongs to the world that it was saved of. */
export class Snapshots {
  readonly #shelf: SnapshotShelf;
  readonly #runtime: Runtime;

  constructor(shelf: SnapshotShelf, runtime: Runtime) {
    this.#shelf = shelf;
    this.#runtime = runtime;
  }

  /** Names of a world's snapshots, in order. */
  names(world: World): string[] {
    return this.#shelf.names(world.name);
  }

  has(world: World, name: string): boolean {
    return this.names(world).includes(name);
  }

  /** @throws not_found */
  require(world: World, name: string): Snapshot {
    this.#refuseUnknown(world, name);
    return {
      name,
      sizeBytes: this.#shelf.sizeOf(world.name, name),
      card: this.#cardOrProblem(world, name),
    };
  }

  /**
   * Keeps the world as it is now, with all that was acknowledged.
   * @throws validation_error, conflict when there is one of that name that is not to be replaced
   */
  save(world: World, name: string, { replace }: { replace: boolean }): void {
    refuseBadName(name);
    if (!replace && this.has(world, name)) {
      throw conflict(
        `name: there is already a snapshot "${name}" of ${world.name}; pass replace to put this one in its place`,
      );
    }
    world.assertFileInPlace();
    world.flush();
    const savedAt = this.#runtime.now();
    this.#shelf.put(world.name, name, serialiseStore(world.store), (copy: Store) => {
      copy.db.update(worldTable).set({ savedAt }).run();
    });
  }

  /** The database that a snapshot is. @throws not_found, conflict when it cannot be used */
  take(world: World, name: string): Buffer {
    this.#refuseUnknown(world, name);
    try {
      return this.#shelf.take(world.name, name);
    } catch (error) {
      if (!(error instanceof StateRefusedError)) throw error;
      throw conflict(`snapshot ${name}: ${error.message}`);
    }
  }

  /** @throws not_found */
  delete(world: World, name: string): void {
    this.#refuseUnknown(world, name);
    this.#shelf.remove(world.name, name);
  }

  deleteAllOf(world: World): void {
    this.#shelf.removeAll(world.name);
  }

  #cardOrProblem(world: World, name: string): Snapshot['card'] {
    try {
      return this.#shelf.cardOf(world.name, name);
    } catch (error) {
      if (error instanceof StateRefusedError) return { problem: error.message };
      throw error;
    }
  }

  #refuseUnknown(world: World, name: string): void {
    const names = this.names(world);
    if (names.includes(name)) return;
    const there = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
    throw notFound(`snapshot: there is no snapshot "${name}" of the world ${world.name}; ${there}`);
  }
}
