import path from 'node:path';
import { type CodedError, conflict, notFound } from '../kernel/errors.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { UnusableStateError } from '../store/errors.ts';
import {
  alterCopy,
  closeStore,
  install,
  openCopy,
  openFileStore,
  removeDatabaseFile,
  type Store,
  serializeStore,
} from '../store/open.ts';
import { makePrivateFolder } from '../store/private-files.ts';
import type { Tx } from '../store/transaction.ts';
import { assertValidName, DEFAULT_WORLD, namesIn, worldFile } from './files.ts';
import { IdSeriesRegistry } from './id-series-registry.ts';
import { KeyIndex, problemOfKnownKeys, problemOfSharedKeys } from './key-index.ts';
import {
  continueWorld,
  detachFork,
  initializeWorld,
  keepCredentials,
  requireIdentity,
} from './new-world.ts';
import type { RunningRequest } from './run.ts';
import { Snapshots } from './snapshots.ts';
import { findTemplate } from './templates.ts';
import { World } from './world.ts';
import { openWorldFile } from './world-file.ts';

export { DEFAULT_WORLD } from './files.ts';

export interface WorldsOptions {
  /** Folder of the world files; undefined keeps every world in memory. */
  dir: string | undefined;
  /** Folder of the snapshots; undefined keeps them in memory. */
  snapshotsDir: string | undefined;
  runtime: Runtime;
  seed: string;
  /** Number of synthetic domains. */
  inventory: number;
  /** Takes the key that signs tokens, and generated credentials, from the system's random source, not from the seed. */
  randomKeys?: boolean | undefined;
  /** Sandbox time at which the clock of a fresh world is frozen, Unix ms; undefined lets it run. */
  frozenAt?: number | undefined;
  /** Adds further inventory to the fresh default world. If it throws, nothing has changed. */
  importInventory?: ((store: Store) => void) | undefined;
  /** Returns the bytes of a newly seeded database. */
  seedDatabase(seed: string, inventory: number): Promise<Buffer>;
  /**
   * A world in memory to start with. Requests cannot create other worlds then, because they may come from the repro file
   * of a stranger.
   */
  initialWorld?: { name: string; database: Buffer } | undefined;
  /** Called with every world that was opened or created. */
  onOpen(world: World): void;
  /** Called with a world that was reset, before anything else runs in it. */
  onReset?: (world: World) => void;
  /** Adds missing credentials and registrations to the default world; called at every start and reset. */
  seedDefaults(tx: Tx): void;
}

/** Whether a reset, restore or new world repeats ids. */
interface SameIds {
  /** Repeats the last id series, for byte-identical runs, instead of beginning the next one. */
  sameIds?: boolean | undefined;
}

/** How a new world is created. */
interface NewWorld extends SameIds {
  /** Name of a world or, if there is no such world, of a snapshot of `snapshotOwner`. */
  fork?: string | undefined;
  snapshotOwner?: World | undefined;
  seed?: string | undefined;
}

/** The worlds of a server, and the world of each key id. Each begins as a copy of a database. */
export class Worlds {
  /** The credentials of all worlds. `indexKey` and `indexKeys` change it. */
  readonly keys = new KeyIndex();
  readonly snapshots: Snapshots;
  readonly #options: WorldsOptions;
  readonly #worlds = new Map<string, World>();
  readonly #idSeries: IdSeriesRegistry;

  /**
   * Opens every world on disk, and creates `default` if it is missing.
   * @throws UnusableStateError if a world cannot be used
   */
  static async open(options: WorldsOptions): Promise<Worlds> {
    const worlds = new Worlds(options);
    try {
      worlds.#openFiles();
      await worlds.#openInitialWorlds();
      return worlds;
    } catch (error) {
      for (const world of worlds.list()) world.close();
      throw error;
    }
  }

  private constructor(options: WorldsOptions) {
    const { dir, snapshotsDir, runtime } = options;
    this.#options = options;
    this.#idSeries = new IdSeriesRegistry(dir && path.join(dir, 'id-series'));
    this.snapshots = new Snapshots(snapshotsDir, runtime);
  }

  #openFiles(): void {
    const { dir } = this.#options;
    if (dir === undefined) return;
    makePrivateFolder(dir);
    const names = namesIn(dir);
    for (const name of names) {
      const world = this.#add(name, openFileStore(worldFile(dir, name)));
      assertUsable(this.#problemOfKeys(world.store, name, names));
      this.#register(world);
    }
  }

  async #openInitialWorlds(): Promise<void> {
    const { initialWorld, seedDefaults } = this.#options;
    if (initialWorld) this.#open(initialWorld.name, openCopy(initialWorld.database, undefined));
    // The world of a repro file gets no defaults: it stays as it was.
    if (initialWorld?.name === DEFAULT_WORLD) return;
    const existing = this.find(DEFAULT_WORLD);
    const world = existing ?? (await this.create(DEFAULT_WORLD));
    const before = changesOf(world);
    world.transaction((tx) => {
      seedDefaults(tx);
      assertUsable(problemOfSharedKeys(world.store, this.keys, world.name));
    });
    // What the configuration adds is not a request, so a replay cannot repeat it: it begins from the result.
    if (existing && changesOf(world) !== before) world.forgetBase();
    this.indexKeys(world);
  }

  list(): World[] {
    return [...this.#worlds.values()];
  }

  find(name: string): World | undefined {
    return this.#worlds.get(name);
  }

  /** @throws not_found */
  require(name: string): World {
    const world = this.find(name);
    if (world) return world;
    throw notFound(`world: world "${name}" not found; existing worlds: ${this.#names()}`);
  }

  /** A world may be deleted while a request for it is read. @throws not_found */
  assertPresent(world: World): void {
    if (!this.#has(world)) throw deleted(world);
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
      const source = this.#openForkSource(from.fork, from.snapshotOwner, this.#fileOf(name));
      return this.#open(name, this.#fork(name, source, from));
    }
    const { seed = this.#options.seed } = from;
    const { inventory } = this.#options;
    const template = await this.#template(seed, inventory);
    this.#assertFree(name);
    const idSeries = this.#idSeries.next({ seed, name }, from);
    const fresh = this.#createFresh(template, { name, seed, inventory, idSeries });
    return this.#open(name, fresh, this.#hasSeededInventory(name));
  }

  /**
   * Adds an exported world with its credentials, which continues as after a restart.
   * @param newName by default the name in the file
   * @throws validation_error, conflict; nothing has changed then
   */
  import(bytes: Buffer, newName?: string): World {
    const received = openWorldFile(bytes);
    const source = requireIdentity(received);
    const name = newName ?? source.name;
    alterCopy(received, (store) => {
      this.#assertFree(name);
      const problem = this.#problemOfKeys(store, name, [source.name, ...this.#worlds.keys()]);
      if (problem !== undefined) throw conflict(`file: ${problem}`);
      // A later world of the name in the file must not issue the ids that are in it either.
      const [idSeries = 0] = [name, source.name].map((owner) =>
        this.#idSeries.next({ seed: source.seed, name: owner }, { atLeast: source.idSeries }),
      );
      continueWorld(store, name, this.#options.runtime.now(), () => idSeries);
    });
    const copy = openCopy(serializeStore(received), this.#fileOf(name));
    closeStore(received);
    return this.#open(name, copy);
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
  async reset(
    world: World,
    request: RunningRequest | undefined,
    { sameIds }: SameIds = {},
  ): Promise<void> {
    this.assertPresent(world);
    const { name, identity } = world;
    const { seed, inventory } = identity;
    const template = await this.#template(seed, inventory);
    this.assertPresent(world);
    world.recordRun(request);
    const idSeries = sameIds ? world.identity.idSeries : this.#idSeries.next({ seed, name });
    const fresh = this.#createFresh(template, { name, seed, inventory, idSeries }, (store) =>
      keepCredentials(world.store, store, this.#options.runtime),
    );
    world.replaceStore(fresh, this.#hasSeededInventory(name));
    this.#options.onReset?.(world);
    if (name === DEFAULT_WORLD) world.transaction(this.#options.seedDefaults);
    this.indexKeys(world);
  }

  /**
   * Restores a snapshot of the world. Credentials stay as they are now.
   * @throws not_found, conflict if the snapshot cannot be used; nothing has changed then
   */
  restore(
    world: World,
    snapshot: string,
    request: RunningRequest | undefined,
    { sameIds }: SameIds = {},
  ): void {
    this.assertPresent(world);
    const copy = this.snapshots.open(world, snapshot, world.file);
    world.recordRun(request);
    const { name } = world;
    const { runtime } = this.#options;
    const next = alterCopy(copy, (store) => {
      continueWorld(store, name, runtime.now(), ({ seed, idSeries }) =>
        sameIds ? idSeries : this.#idSeries.next({ seed, name }, { atLeast: idSeries }),
      );
      keepCredentials(world.store, store, runtime);
    });
    world.replaceStore(next);
    this.indexKeys(world);
  }

  close(): void {
    for (const world of this.list()) {
      world.saveClock();
      world.close();
    }
    this.#worlds.clear();
    this.keys.clear();
  }

  /** Returns why the keys of a database cannot be those of a world. @param names of worlds that it may be a fork of */
  #problemOfKeys(store: Store, name: string, names: readonly string[]): string | undefined {
    const { randomKeys, seed } = this.#options;
    const known = randomKeys
      ? problemOfKnownKeys({ ...requireIdentity(store), name }, names, seed)
      : undefined;
    return problemOfSharedKeys(store, this.keys, name) ?? known;
  }

  #template(seed: string, inventory: number): Promise<Buffer> {
    return findTemplate(seed, inventory, this.#options.seedDatabase);
  }

  /** Returns the database of a fresh world. */
  #createFresh(
    template: Buffer,
    identity: { name: string; seed: string; inventory: number; idSeries: number },
    alter: (store: Store) => void = () => {},
  ): Store {
    const { runtime, importInventory } = this.#options;
    const now = runtime.now();
    return alterCopy(openCopy(template, this.#fileOf(identity.name)), (store) => {
      initializeWorld(store, { ...this.#options, ...identity }, now);
      if (identity.name === DEFAULT_WORLD) importInventory?.(store);
      alter(store);
    });
  }

  /** Whether the inventory of a fresh world can be generated again from its seed. */
  #hasSeededInventory(name: string): boolean {
    return name !== DEFAULT_WORLD || this.#options.importInventory === undefined;
  }

  #fork(name: string, source: Store, options: SameIds): Store {
    const now = this.#options.runtime.now();
    return alterCopy(source, (store) => {
      // New ids must sort after the copied ones.
      continueWorld(store, name, now, ({ seed, idSeries }) =>
        this.#idSeries.next({ seed, name }, { atLeast: idSeries, ...options }),
      );
      detachFork(store, now);
    });
  }

  /** Opens a copy of a world or a snapshot for a world with a file. @throws not_found, conflict */
  #openForkSource(fork: string, snapshotOwner: World | undefined, file: string | undefined): Store {
    const source = this.find(fork);
    if (source) return openCopy(source.serialize(), file);
    if (snapshotOwner && this.snapshots.has(snapshotOwner, fork)) {
      return this.snapshots.open(snapshotOwner, fork, file);
    }
    const nor = snapshotOwner === undefined ? '' : `, nor snapshot of world ${snapshotOwner.name}`;
    throw notFound(`fork: world "${fork}" not found${nor}; existing worlds: ${this.#names()}`);
  }

  /**
   * Opens a new world. A rejected call leaves no file for the next start to find.
   * @param isSeeded whether its inventory is the one generated from its seed
   */
  #open(name: string, copy: Store, isSeeded = false): World {
    try {
      const world = this.#add(name, install(copy), isSeeded);
      this.#register(world);
      return world;
    } catch (error) {
      const world = this.find(name);
      if (world) this.#remove(world);
      for (const file of [this.#fileOf(name), copy.file]) {
        if (file !== undefined) removeDatabaseFile(file);
      }
      throw error;
    }
  }

  #add(name: string, store: Store, isSeeded = false): World {
    const { runtime, randomKeys } = this.#options;
    const world = new World(name, store, runtime, { randomKeys, isSeeded });
    this.#worlds.set(name, world);
    return world;
  }

  /** Makes an added world reachable: its keys, its ids and what the server does with it. */
  #register(world: World): void {
    const { seed, idSeries } = world.identity;
    this.#idSeries.observe({ seed, name: world.name }, idSeries);
    this.#options.onOpen(world);
    this.indexKeys(world);
  }

  /** @throws conflict */
  #assertFree(name: string): void {
    assertValidName(name);
    if (this.find(name)) throw conflict(`name: world "${name}" already exists`);
    if (this.#options.initialWorld && this.find(DEFAULT_WORLD)) {
      throw conflict('name: the sandbox of a repro file cannot have another world');
    }
  }

  #fileOf(name: string): string | undefined {
    const { dir } = this.#options;
    return dir && worldFile(dir, name);
  }

  #names(): string {
    return [...this.#worlds.keys()].join(', ');
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

/** @throws UnusableStateError for a problem */
function assertUsable(problem: string | undefined): void {
  if (problem === undefined) return;
  const sentence = problem[0]?.toUpperCase() + problem.slice(1);
  throw new UnusableStateError(`${sentence}. Nothing was changed.`);
}

/** Returns a number that rises with each row that is written. */
function changesOf({ store }: World): unknown {
  return store.client.prepare('SELECT total_changes()').pluck().get();
}

function deleted({ name }: World): CodedError {
  return notFound(`world: ${name} has been deleted`);
}
