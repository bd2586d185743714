import { conflict, notFound } from '../kernel/errors.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { type Store, serializeStore } from '../store/open.ts';
import { world as worldTable } from '../store/schema/world.ts';
import { UnusableStateError } from '../store/unusable-state.ts';
import { assertValidName } from './files.ts';
import type { SnapshotMetadata, SnapshotStorage } from './snapshot-storage.ts';
import type { World } from './world.ts';

/** A snapshot as it lies there. */
export interface Snapshot {
  name: string;
  sizeBytes: number;
  /** What it says of itself; or, where it cannot be read, a sentence that says why. */
  card: SnapshotMetadata | { problem: string };
}

/** Worlds as they were at a moment, by name. Each belongs to the world that it was saved of. */
export class Snapshots {
  readonly #storage: SnapshotStorage;
  readonly #runtime: Runtime;

  constructor(storage: SnapshotStorage, runtime: Runtime) {
    this.#storage = storage;
    this.#runtime = runtime;
  }

  /** Names of a world's snapshots, in order. */
  names(world: World): string[] {
    return this.#storage.names(world.name);
  }

  has(world: World, name: string): boolean {
    return this.names(world).includes(name);
  }

  /** @throws not_found */
  require(world: World, name: string): Snapshot {
    this.#requireKnown(world, name);
    return {
      name,
      sizeBytes: this.#storage.sizeOf(world.name, name),
      card: this.#cardOrProblem(world, name),
    };
  }

  /**
   * Keeps the world as it is now, with all that was acknowledged.
   * @throws validation_error, conflict when there is one of that name that is not to be replaced
   */
  save(world: World, name: string, { replace }: { replace: boolean }): void {
    assertValidName(name);
    if (!replace && this.has(world, name)) {
      throw conflict(
        `name: there is already a snapshot "${name}" of ${world.name}; pass replace to put this one in its place`,
      );
    }
    world.assertFileInPlace();
    world.flush();
    const savedAt = this.#runtime.now();
    this.#storage.put(world.name, name, serializeStore(world.store), (copy: Store) => {
      copy.db.update(worldTable).set({ savedAt }).run();
    });
  }

  /** The database that a snapshot is. @throws not_found, conflict when it cannot be used */
  take(world: World, name: string): Buffer {
    this.#requireKnown(world, name);
    try {
      return this.#storage.take(world.name, name);
    } catch (error) {
      if (!(error instanceof UnusableStateError)) throw error;
      throw conflict(`snapshot ${name}: ${error.message}`);
    }
  }

  /** @throws not_found */
  delete(world: World, name: string): void {
    this.#requireKnown(world, name);
    this.#storage.remove(world.name, name);
  }

  deleteAllOf(world: World): void {
    this.#storage.removeAll(world.name);
  }

  #cardOrProblem(world: World, name: string): Snapshot['card'] {
    try {
      return this.#storage.metadataOf(world.name, name);
    } catch (error) {
      if (error instanceof UnusableStateError) return { problem: error.message };
      throw error;
    }
  }

  #requireKnown(world: World, name: string): void {
    const names = this.names(world);
    if (names.includes(name)) return;
    const there = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
    throw notFound(`snapshot: there is no snapshot "${name}" of the world ${world.name}; ${there}`);
  }
}
