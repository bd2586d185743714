import { type CodedError, conflict, notFound } from '../kernel/errors.ts';
import { removeDatabaseFile } from '../store/database-file.ts';
import type { Store } from '../store/open.ts';
import { makePrivateFolder } from '../store/private-files.ts';
import { assertValidName, DEFAULT_WORLD, worldFile } from './files.ts';
import {
  assertNewKeys,
  assertNoKnownKeys,
  assertNoSharedKeys,
  followsFromSeed,
  KeyIndex,
} from './key-index.ts';
import { openExisting } from './open-existing.ts';
import { verifyWorldFile } from './received-world.ts';
import type { RunningRequest } from './run.ts';
import { folderStorage, memoryStorage } from './snapshot-storage.ts';
import { Snapshots } from './snapshots.ts';
import { World } from './world.ts';
import { WorldWriter } from './world-writer.ts';
import type { InitialWorld, NewWorld, SameIds, WorldsOptions } from './worlds-options.ts';
import type { NewStore } from './write-world.ts';

export { DEFAULT_WORLD } from './files.ts';

/** The worlds of a server, and the world of each key id. */
export class Worlds {
  /** The credentials of all worlds. `indexKey` and `indexKeys` change it. */
  readonly keys = new KeyIndex();
  readonly snapshots: Snapshots;
  readonly #options: WorldsOptions;
  readonly #worlds = new Map<string, World>();
  /** Why the file of a world could not be used at the start, by name. */
  #unusableFiles: ReadonlyMap<string, string> = new Map();
  readonly #writer: WorldWriter;

  /**
   * Opens every usable world on disk, and creates `default` if it is missing.
   * @throws UnusableStateError if `default` cannot be used
   */
  static async open(options: WorldsOptions): Promise<Worlds> {
    const worlds = new Worlds(options);
    try {
      await worlds.#begin();
      return worlds;
    } catch (error) {
      worlds.close();
      throw error;
    }
  }

  private constructor(options: WorldsOptions) {
    this.#options = options;
    const { snapshotsDir, runtime } = options;
    const storage =
      options.snapshotStorage ??
      (snapshotsDir === undefined ? memoryStorage() : folderStorage(snapshotsDir));
    this.#writer = new WorldWriter(options);
    const assertPresent = (world: World) => this.assertPresent(world);
    this.snapshots = new Snapshots(storage, { runtime, assertPresent });
  }

  async #begin(): Promise<void> {
    const { dir, onUpgrade, seedDefaults, randomKeys, seed } = this.#options;
    if (dir !== undefined) {
      makePrivateFolder(dir);
      this.#unusableFiles = openExisting(dir, {
        required: DEFAULT_WORLD,
        onUpgrade,
        onOpen: (name, store) => {
          const world = this.#make(name, store);
          assertNoSharedKeys(world, this.keys);
          if (randomKeys) assertNoKnownKeys(world, this.#names(), seed);
          this.#adopt(world);
        },
      });
    }
    const initialWorld =
      this.#options.initialWorld && (await this.#openInitial(this.#options.initialWorld));
    const defaultWorld = this.find(DEFAULT_WORLD) ?? (await this.create(DEFAULT_WORLD));
    // A world from its own database stays as it was.
    if (initialWorld === defaultWorld && Buffer.isBuffer(this.#options.initialWorld?.from)) return;
    const version = dataVersion(defaultWorld);
    defaultWorld.transaction((tx) => {
      seedDefaults(tx);
      assertNoSharedKeys(defaultWorld, this.keys);
    });
    // What the configuration adds is no request.
    if (dataVersion(defaultWorld) !== version) defaultWorld.forgetBase();
    this.indexKeys(defaultWorld);
  }

  async #openInitial(initial: InitialWorld): Promise<World> {
    const { from } = initial;
    const bytes = Buffer.isBuffer(from)
      ? from
      : await this.#writer.seeded(from.seed, from.inventory);
    const world = this.#open(initial.name, this.#writer.initial(initial, bytes));
    const { seed } = world.identity;
    this.#writer.idSeries.observe({ seed, world: initial.name }, initial.lastSeries);
    return world;
  }

  list(): World[] {
    return [...this.#worlds.values()];
  }

  find(name: string): World | undefined {
    return this.#worlds.get(name);
  }

  /** @throws not_found, conflict if its file cannot be used */
  require(name: string): World {
    const world = this.find(name);
    if (world) return world;
    this.#assertUsable('world', name);
    throw notFound(
      `world: world "${name}" not found; existing worlds: ${this.#names().join(', ')}`,
    );
  }

  /** A world may be deleted while a request for it is read. @throws not_found */
  assertPresent(world: World): void {
    if (!this.#has(world)) throw deleted(world);
  }

  /** Lists the worlds whose file cannot be used, and why. */
  unusable(): { name: string; problem: string }[] {
    return Array.from(this.#unusableFiles, ([name, problem]) => ({ name, problem }));
  }

  /** Called after a credential of a world was added, changed or removed. */
  indexKey(world: World, keyId: string): void {
    if (this.#has(world)) this.keys.readOne(world, keyId);
  }

  /** Called after the database of a world was replaced. */
  indexKeys(world: World): void {
    if (this.#has(world)) this.keys.read(world);
    else this.keys.forget(world);
  }

  /**
   * Creates a world: fresh, or a copy of another world or of a snapshot, without its credentials.
   * @throws validation_error, conflict, not_found
   */
  async create(name: string, from: NewWorld = {}): Promise<World> {
    this.#assertFree(name);
    if (from.fork !== undefined) {
      const source = this.#sourceOf(from.fork, from.snapshotOwner);
      return this.#open(name, this.#writer.fork(name, from.fork, source, from));
    }
    const { seed = this.#options.seed } = from;
    const seeded = await this.#writer.seeded(seed, this.#options.inventory);
    this.#assertFree(name);
    return this.#open(name, this.#writer.fresh(name, seed, seeded, from));
  }

  /**
   * Adds an exported world with its credentials, which continues as after a restart.
   * @param newName by default the name in the file
   * @throws validation_error, conflict; nothing has changed then
   */
  import(bytes: Buffer, newName?: string): World {
    const file = verifyWorldFile(bytes);
    const name = newName ?? file.name;
    this.#assertFree(name);
    assertNewKeys(file.keyIds, this.keys);
    const { randomKeys, seed } = this.#options;
    if (randomKeys && followsFromSeed(file, [file.name, name, ...this.#names()], seed)) {
      throw conflict(
        'file: the keys of the world follow from the default seed, so anyone can compute them; create the world with another seed',
      );
    }
    return this.#open(name, this.#writer.imported(name, bytes, file));
  }

  /** A rejected call leaves no file for the next start to find. */
  #open(name: string, newStore: NewStore): World {
    let world: World | undefined;
    try {
      world = this.#make(name, newStore.open(), newStore.isFresh);
      this.#adopt(world);
      return world;
    } catch (error) {
      if (world) this.#remove(world);
      const { dir } = this.#options;
      if (dir !== undefined) removeDatabaseFile(worldFile(dir, name));
      newStore.discard();
      throw error;
    }
  }

  #make(name: string, store: Store, isFresh = false): World {
    const { runtime, randomKeys = false } = this.#options;
    return new World(name, store, runtime, { randomKeys, isFresh });
  }

  /** @throws conflict for the default world */
  assertDeletable(world: World): void {
    if (world.name === DEFAULT_WORLD) {
      throw conflict('world: the default world cannot be deleted; reset it instead');
    }
  }

  /** @throws not_found, conflict for the default world */
  delete(name: string): void {
    const world = this.require(name);
    this.assertDeletable(world);
    this.#remove(world);
    this.snapshots.deleteAllOf(world);
    if (world.file !== undefined) removeDatabaseFile(world.file);
  }

  /** Resets a world to its seed. Credentials stay. */
  async reset(world: World, request: RunningRequest | undefined, how: SameIds = {}): Promise<void> {
    this.assertPresent(world);
    const seeded = await this.#writer.seeded(world.identity.seed, world.identity.inventory);
    world.run(request);
    this.assertPresent(world);
    world.replaceStore((old) => this.#writer.reset(world, old, seeded, how));
    this.#options.onReset?.(world);
    const isDefault = world.name === DEFAULT_WORLD;
    if (isDefault) world.transaction(this.#options.seedDefaults);
    this.indexKeys(world);
  }

  /**
   * Restores a snapshot of the world. Credentials stay as they are now.
   * @throws not_found, conflict if the snapshot cannot be used; nothing has changed then
   */
  async restore(
    world: World,
    name: string,
    request: RunningRequest | undefined,
    how: SameIds = {},
  ): Promise<void> {
    this.assertPresent(world);
    const snapshot = { name, bytes: this.snapshots.take(world, name) };
    world.run(request);
    this.assertPresent(world);
    world.replaceStore((old) => this.#writer.restored(world.name, snapshot, old, how));
    this.indexKeys(world);
  }

  close(): void {
    for (const world of this.list()) world.close();
    this.#worlds.clear();
    this.keys.clear();
  }

  /** Returns the database of a world or a snapshot. @throws not_found */
  #sourceOf(fork: string, snapshotOwner: World | undefined): Buffer {
    const source = this.find(fork);
    if (source) return source.serialize();
    if (snapshotOwner && this.snapshots.has(snapshotOwner, fork))
      return this.snapshots.take(snapshotOwner, fork);
    this.#assertUsable('fork', fork);
    const snapshots =
      snapshotOwner === undefined ? '' : `, nor snapshot of world ${snapshotOwner.name}`;
    throw notFound(
      `fork: world "${fork}" not found${snapshots}; existing worlds: ${this.#names().join(', ')}`,
    );
  }

  #adopt(world: World): void {
    const { seed, idSeries } = world.identity;
    this.#writer.idSeries.observe({ seed, world: world.name }, idSeries);
    this.#add(world);
    this.#options.onOpen(world);
    this.indexKeys(world);
  }

  /** @throws conflict */
  #assertFree(name: string): void {
    assertValidName(name);
    if (this.find(name)) throw conflict(`name: world "${name}" already exists`);
    if (this.#options.initialWorld && this.find(DEFAULT_WORLD)) {
      throw conflict('name: this sandbox has no other world');
    }
    this.#assertUsable('name', name);
  }

  #names(): string[] {
    return [...this.#worlds.keys()];
  }

  /** @param field the input that names the world. @throws conflict */
  #assertUsable(field: string, name: string): void {
    const problem = this.#unusableFiles.get(name);
    if (problem === undefined) return;
    throw conflict(`${field}: world "${name}" cannot be used. ${problem}`);
  }

  #add(world: World): void {
    this.#worlds.set(world.name, world);
  }

  #remove(world: World): void {
    this.#worlds.delete(world.name);
    this.keys.forget(world);
    world.close(deleted(world));
  }

  #has(world: World): boolean {
    return this.#worlds.get(world.name) === world;
  }
}

function dataVersion({ store }: World): unknown {
  return store.client.prepare('SELECT total_changes()').pluck().get();
}

function deleted({ name }: World): CodedError {
  return notFound(`world: ${name} has been deleted`);
}
