import { conflict, notFound } from '../kernel/errors.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { UnusableStateError } from '../store/errors.ts';
import { world as worldTable } from '../store/schema/world.ts';
import { assertValidName } from './files.ts';
import type { RunningRequest } from './run.ts';
import type { SnapshotMetadata, SnapshotStorage } from './snapshot-storage.ts';
import type { World } from './world.ts';

/** A stored snapshot. */
export interface Snapshot {
  name: string;
  sizeBytes: number;
  /** A sentence that says why it cannot be read, or its metadata. */
  metadata: SnapshotMetadata | { problem: string };
}

interface SnapshotsOptions {
  runtime: Runtime;
  /** @throws not_found for a deleted world */
  assertPresent(world: World): void;
}

/** The snapshots of all worlds, by name. */
export class Snapshots {
  readonly #storage: SnapshotStorage;
  readonly #options: SnapshotsOptions;

  constructor(storage: SnapshotStorage, options: SnapshotsOptions) {
    this.#storage = storage;
    this.#options = options;
  }

  /** Names of the snapshots of a world, in order. */
  names(world: World): string[] {
    return this.#storage.names(world.name);
  }

  has(world: World, name: string): boolean {
    return this.names(world).includes(name);
  }

  /** @throws not_found */
  require(world: World, name: string): Snapshot {
    this.#assertExists(world, name);
    return {
      name,
      sizeBytes: this.#storage.sizeOf(world.name, name),
      metadata: this.#metadataOf(world, name),
    };
  }

  /**
   * Saves a snapshot of the world with everything that was acknowledged, and returns it.
   * @throws validation_error, conflict for an existing name without `replace`, not_found for a deleted world
   */
  async save(
    world: World,
    name: string,
    request: RunningRequest | undefined,
    { replace }: { replace: boolean },
  ): Promise<Snapshot> {
    assertValidName(name);
    this.#assertSavable(world, name, replace);
    world.run(request);
    const savedAt = this.#options.runtime.now();
    this.#storage.put(world.name, name, world.serialize(), ({ db }) => {
      db.update(worldTable).set({ savedAt }).run();
    });
    return this.require(world, name);
  }

  /** Returns the database of a snapshot. @throws not_found, conflict if it cannot be used */
  take(world: World, name: string): Buffer {
    this.#assertExists(world, name);
    try {
      return this.#storage.take(world.name, name);
    } catch (error) {
      if (!(error instanceof UnusableStateError)) throw error;
      throw conflict(`snapshot ${name}: ${error.message}`);
    }
  }

  /** @throws not_found */
  delete(world: World, name: string): void {
    this.#assertExists(world, name);
    this.#storage.remove(world.name, name);
  }

  deleteAllOf(world: World): void {
    this.#storage.removeAll(world.name);
  }

  #metadataOf(world: World, name: string): Snapshot['metadata'] {
    try {
      return this.#storage.metadataOf(world.name, name);
    } catch (error) {
      if (error instanceof UnusableStateError) return { problem: error.message };
      throw error;
    }
  }

  #assertSavable(world: World, name: string, replace: boolean): void {
    this.#options.assertPresent(world);
    if (replace || !this.has(world, name)) return;
    throw conflict(
      `name: snapshot "${name}" of ${world.name} already exists; pass \`replace\` to overwrite it`,
    );
  }

  #assertExists(world: World, name: string): void {
    const names = this.names(world);
    if (names.includes(name)) return;
    const existing = names.length === 0 ? 'none' : names.join(', ');
    throw notFound(
      `snapshot: snapshot "${name}" of world ${world.name} not found; existing snapshots: ${existing}`,
    );
  }
}
