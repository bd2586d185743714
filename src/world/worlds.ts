import { conflict, notFound } from '../kernel/errors.ts';
import { truncate } from '../kernel/printable.ts';
import { UnusableStateError } from '../store/errors.ts';
import {
  closeStore,
  install,
  isUnclosed,
  openCopy,
  openFileStore,
  removeDatabaseFile,
  type Store,
} from '../store/open.ts';
import { makePrivateFolder } from '../store/private-files.ts';
import type { Tx } from '../store/transaction.ts';
import { type DatabaseOptions, type SameIds, WorldDatabases } from './databases.ts';
import { assertValidName, DEFAULT_WORLD, namesIn, worldFile } from './files.ts';
import { KeyIndex, problemOfSharedKeys } from './key-index.ts';
import { problemOfTokenKey, requireIdentity } from './new-world.ts';
import type { RunningRequest } from './run.ts';
import { Snapshots } from './snapshots.ts';
import { World } from './world.ts';
import { openWorldFile } from './world-file.ts';

export interface WorldsOptions extends DatabaseOptions {
  /** Folder of the snapshots; undefined keeps them in memory. */
  snapshotsDir: string | undefined;
  /** The default seed, which everybody knows. */
  publicSeed: string;
  /**
   * A world in memory to start with. Requests cannot create other worlds then, because they may come from the repro file
   * of a stranger.
   */
  initialWorld?: { name: string; database: Buffer } | undefined;
  /** Called with the name of a world that was not closed, before it is used. */
  onKilled(name: string): void;
  /** Called with every world that was opened or created. */
  onOpen(world: World): void;
  /** Called before a world is deleted, which waits for it. */
  onDelete(world: World): Promise<void>;
  /** Called when a world was reset or is about to be deleted: what is recorded of it so far ends here. A restore is recorded. */
  onEnd(world: World): void;
  /** Applies the configuration but its inventory to the default world: when it is created, reset, or opened from its file. */
  seedDefaults(tx: Tx): void;
}

/** How a new world is created. */
interface NewWorld extends SameIds {
  /** Name of a world or, if there is no such world, of a snapshot of `snapshotOwner`. */
  fork?: string | undefined;
  snapshotOwner?: World | undefined;
}

/** The worlds of a sandbox by name, and the world of each key id. */
export class Worlds {
  /** The credentials of all worlds. After a change of one, call `keys.readOne`. */
  readonly keys = new KeyIndex();
  readonly snapshots: Snapshots;
  readonly #options: WorldsOptions;
  readonly #databases: WorldDatabases;
  readonly #worlds = new Map<string, World>();
  #isClosed = false;

  /**
   * Opens every world on disk, and creates `default` if it is missing.
   * @throws UnusableStateError if a world cannot be used
   */
  static open(options: WorldsOptions): Worlds {
    const worlds = new Worlds(options);
    try {
      worlds.#openFiles();
      const { initialWorld } = options;
      if (initialWorld) worlds.#install(initialWorld.name, openCopy(initialWorld.database));
      if (!worlds.find(DEFAULT_WORLD)) worlds.create(DEFAULT_WORLD);
      // The world of a repro file stays as it was.
      else if (!initialWorld) worlds.#updateDefault();
      return worlds;
    } catch (error) {
      for (const world of worlds.list()) world.close();
      throw error;
    }
  }

  private constructor(options: WorldsOptions) {
    this.#options = options;
    this.#databases = new WorldDatabases(options, (store) => {
      this.#addDefaults(new World(DEFAULT_WORLD, store, options));
    });
    this.snapshots = new Snapshots(options.snapshotsDir, options.runtime);
  }

  #openFiles(): void {
    const { dir } = this.#options;
    if (dir === undefined) return;
    makePrivateFolder(dir);
    for (const name of namesIn(dir)) {
      const file = worldFile(dir, name);
      const wasKilled = isUnclosed(file);
      const world = this.#add(name, openFileStore(file));
      if (wasKilled) {
        // Before anything closes the file, because a refused start must not hide the kill from the next one.
        world.clock.recover();
        world.saveClock();
        this.#options.onKilled(name);
      }
      const problem = this.#problemOfKeys(world.store, name);
      if (problem !== undefined) {
        const sentence = problem[0]?.toUpperCase() + problem.slice(1);
        throw new UnusableStateError(`${sentence}. Nothing was changed.`);
      }
      this.#register(world);
    }
  }

  /** Updates the stored default world with what the configuration has now. */
  #updateDefault(): void {
    const world = this.require(DEFAULT_WORLD);
    const before = configuredIn(world);
    this.#addDefaults(world);
    // What the configuration changes is not a request, so a replay cannot repeat it: it begins from the result.
    if (configuredIn(world) !== before) world.forgetBase();
    this.keys.read(world);
  }

  /** Runs `seedDefaults` on the default world, or on its next database. @throws conflict if another world has a key */
  #addDefaults(world: World): void {
    world.transaction((tx) => {
      this.#options.seedDefaults(tx);
      const problem = problemOfSharedKeys(world.store, this.keys, world.name);
      if (problem !== undefined) throw conflict(`world: ${problem}`);
    });
  }

  list(): World[] {
    return [...this.#worlds.values()];
  }

  find(name: string): World | undefined {
    return this.#worlds.get(name);
  }

  /** @throws not_found, conflict if the sandbox is closed */
  require(name: string): World {
    const world = this.find(name);
    if (world) return world;
    if (this.#isClosed) throw conflict('the sandbox is closed');
    throw notFound(`world: world "${name}" not found; existing worlds: ${this.#names}`);
  }

  /**
   * Creates a world: fresh, or a copy of another world or of a snapshot, without its credentials.
   * @throws validation_error, conflict, not_found
   */
  create(name: string, from: NewWorld = {}): World {
    this.#assertFree(name);
    if (from.fork !== undefined) {
      const copy = this.#copyToFork(from.fork, from.snapshotOwner, name);
      return this.#install(name, this.#databases.fork(copy, name, from));
    }
    const { seed, inventory } = this.#options;
    const world = this.#install(name, this.#databases.fresh({ name, seed, inventory }, from));
    if (this.#databases.hasSeededInventory(name)) world.markSeeded();
    return world;
  }

  /**
   * Adds an exported world with its credentials, which continues as after a restart.
   * @param newName by default the name in the file
   * @throws validation_error, conflict; nothing has changed then
   */
  import(bytes: Buffer, newName?: string): World {
    const exported = openWorldFile(bytes);
    try {
      const name = newName ?? requireIdentity(exported).name;
      this.#assertFree(name);
      const problem = this.#problemOfKeys(exported, name);
      if (problem !== undefined) throw conflict(`file: ${problem}`);
      return this.#install(name, this.#databases.import(bytes, name));
    } finally {
      closeStore(exported);
    }
  }

  /** Deletes a world with its snapshots. @throws not_found, conflict for the default world */
  async delete(world: World): Promise<void> {
    if (world.name === DEFAULT_WORLD) {
      throw conflict('world: the default world cannot be deleted; reset it instead');
    }
    // A world whose snapshots cannot be deleted stays as it is.
    this.snapshots.deleteAllOf(world);
    await this.#options.onDelete(world);
    // Another call may have deleted it meanwhile.
    world.assertOpen();
    this.#options.onEnd(world);
    // Also those saved meanwhile: if the process is killed now, a new world of this name must not have them.
    this.snapshots.deleteAllOf(world);
    this.#remove(world);
    const file = this.#databases.fileOf(world.name);
    if (file !== undefined) removeDatabaseFile(file);
  }

  /**
   * Resets a world to its seed. Credentials stay. The caller wakes the scheduler of the world.
   * @throws not_found, conflict if a default credential is in another world now; nothing has changed then
   */
  reset(world: World, request?: RunningRequest, options: SameIds = {}): void {
    world.assertOpen();
    world.recordRun(request);
    world.replaceStore(this.#databases.reset(world, options));
    if (this.#databases.hasSeededInventory(world.name)) world.markSeeded();
    this.#options.onEnd(world);
    this.keys.read(world);
  }

  /**
   * Restores a snapshot of the world. Credentials and request log stay as they are now. The caller wakes the scheduler.
   * @throws not_found, conflict if the snapshot cannot be used; nothing has changed then
   */
  restore(world: World, snapshot: string, request?: RunningRequest, options: SameIds = {}): void {
    world.assertOpen();
    world.recordRun(request);
    const copy = this.snapshots.open(world, snapshot, this.#databases.fileOf(world.name));
    world.replaceStore(this.#databases.restore(copy, world, options));
    this.keys.read(world);
  }

  close(): void {
    this.#isClosed = true;
    for (const world of this.list()) {
      world.saveClock();
      world.close();
    }
    this.#worlds.clear();
  }

  /** Returns why a world cannot have the keys of a database: another world has one, or anyone can compute them. */
  #problemOfKeys(store: Store, name: string): string | undefined {
    const { randomKeys, publicSeed } = this.#options;
    const identity = requireIdentity(store);
    const problem = problemOfSharedKeys(store, this.keys, name);
    if (problem !== undefined || !randomKeys?.(identity.seed)) return problem;
    return problemOfTokenKey(name, identity, publicSeed);
  }

  /** Opens a copy of a world or a snapshot, for a world of another name. @throws not_found, conflict */
  #copyToFork(fork: string, snapshotOwner: World | undefined, name: string): Store {
    const file = this.#databases.fileOf(name);
    const source = this.find(fork);
    if (source) return openCopy(source.serialize(), file);
    if (snapshotOwner && this.snapshots.has(snapshotOwner, fork)) {
      return this.snapshots.open(snapshotOwner, fork, file);
    }
    const nor = snapshotOwner === undefined ? '' : `, nor snapshot of world ${snapshotOwner.name}`;
    throw notFound(`fork: world "${fork}" not found${nor}; existing worlds: ${this.#names}`);
  }

  /** Adds a new world. A rejected call leaves no file for the next start to find. */
  #install(name: string, database: Store): World {
    try {
      const world = this.#add(name, install(database));
      this.#register(world);
      return world;
    } catch (error) {
      const world = this.find(name);
      if (world) this.#remove(world);
      for (const file of [this.#databases.fileOf(name), database.file]) {
        if (file !== undefined) removeDatabaseFile(file);
      }
      throw error;
    }
  }

  #add(name: string, store: Store): World {
    const world = new World(name, store, this.#options);
    this.#worlds.set(name, world);
    return world;
  }

  /** Makes an added world reachable: its keys and what the server does with it. */
  #register(world: World): void {
    this.#options.onOpen(world);
    this.keys.read(world);
  }

  /** @throws conflict */
  #assertFree(name: string): void {
    assertValidName(name);
    if (this.#isClosed) throw conflict('the sandbox is closing');
    if (this.find(name)) throw conflict(`name: world "${name}" already exists`);
    if (this.#options.initialWorld && this.find(DEFAULT_WORLD)) {
      throw conflict('name: the sandbox of a repro file cannot have another world');
    }
  }

  get #names(): string {
    return truncate([...this.#worlds.keys()].join(', '), 200);
  }

  #remove(world: World): void {
    this.#worlds.delete(world.name);
    this.keys.forget(world);
    world.close({ isDeleted: true });
  }
}

/** Returns as text what the configuration can change, but not the counts and places of faults, which a replay repeats. */
function configuredIn({ store }: World): string {
  const queries = [
    'SELECT * FROM partners',
    'SELECT * FROM credentials',
    'SELECT * FROM webhooks',
    'SELECT id, match, effect, webhook, times, configured FROM faults ORDER BY configured, seq',
  ];
  return JSON.stringify(queries.map((query) => store.client.prepare(query).all()));
}
