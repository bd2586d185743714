import path from 'node:path';
import { conflict, notFound } from '../kernel/errors.ts';
import { removeDatabaseFile } from '../store/database-file.ts';
import { type Store, serializeStore } from '../store/open.ts';
import { makePrivateFolder } from '../store/private-files.ts';
import type { Credential } from '../store/schema/partners.ts';
import type { Tx } from '../store/transaction.ts';
import { BackgroundActs, type RunJob } from './background.ts';
import { assertValidName, DEFAULT_WORLD, worldFile } from './files.ts';
import { findDamage } from './find-damage.ts';
import type { FreshOptions } from './fresh-world.ts';
import { IdSeriesLedger } from './id-series-ledger.ts';
import { type Input, SAME_INPUT, SETUP } from './inputs.ts';
import {
  assertNewKeys,
  assertNoKnownKeys,
  assertNoSharedKeys,
  followsFromSeed,
  KeyIndex,
  type KnownKey,
} from './key-index.ts';
import { NewDatabases } from './new-databases.ts';
import { openExisting } from './open-existing.ts';
import { OpenLimit } from './open-limit.ts';
import { ReceivedWorld } from './received-world.ts';
import { activateSnapshot, assertComplete, carryOverCredentials, detachFork } from './restore.ts';
import { folderStorage, memoryStorage } from './snapshot-storage.ts';
import { Snapshots } from './snapshots.ts';
import { World } from './world.ts';
import type { WorldFileContents } from './world-file.ts';
import { type NewStore, writeWorld } from './write-world.ts';

export { DEFAULT_WORLD } from './files.ts';

/** Whether a reset, restore or new world repeats ids. */
export interface SameIds {
  /** Repeats the last id series, for byte-identical runs, instead of beginning the next one. */
  sameIds?: boolean | undefined;
}

export interface WorldsOptions extends FreshOptions {
  /** Folder of the snapshots; undefined keeps them in memory. */
  snapshotsDir: string | undefined;
  runJob: RunJob;
  /** Called before a world of an older version is migrated, which may take seconds. */
  onUpgrade?: ((world: string) => void) | undefined;
  /** Called if `checkFiles` finds damage. */
  onDamaged?: ((world: string, problem: string) => void) | undefined;
  /** A world to begin with, in memory: with its own database, or with that of a fresh world. */
  given?: GivenWorld | undefined;
  /** Called with every world that was opened or created. */
  onOpen(world: World, isFresh: boolean): void;
  /** Called with each new database of a world: completes what a kill or a copy has interrupted. */
  completeStore(store: Store): void;
  /** Adds missing credentials and registrations to the default world; called at every start and reset. */
  seedDefaults(tx: Tx): void;
}

export interface GivenWorld {
  name: string;
  /** The serialized database, or what a fresh world is made of. */
  from: Buffer | { seed: string; inventory: number; idSeries: number };
  /** The last id series that was used for a world of this name. */
  lastSeries: number;
}

/** How a new world is created. */
export interface NewWorld extends SameIds {
  /** Name of a world or, if there is no such world, of a snapshot of `beside`. */
  fork?: string | undefined;
  beside?: World | undefined;
  seed?: string | undefined;
}

/** The worlds of a server, and the world of each key id. */
export class Worlds {
  readonly snapshots: Snapshots;
  readonly #options: WorldsOptions;
  readonly #worlds = new Map<string, World>();
  /** Why the file of a world could not be used at the start, by name. */
  #unusable: ReadonlyMap<string, string> = new Map();
  /** Problems found by `checkFiles`, by the generation of the world: a reset or restore replaces its file. */
  readonly #damaged = new WeakMap<object, string>();
  readonly #closing = new AbortController();
  readonly #keys = new KeyIndex();
  readonly #acts: BackgroundActs;
  readonly #databases: NewDatabases;
  readonly #idSeries: IdSeriesLedger;
  readonly #limit = new OpenLimit();

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
      await worlds.close();
      throw error;
    }
  }

  private constructor(options: WorldsOptions) {
    this.#options = options;
    const { dir, snapshotsDir, runtime } = options;
    this.#idSeries = new IdSeriesLedger(
      dir === undefined ? undefined : path.join(dir, 'id-series'),
    );
    const storage = snapshotsDir === undefined ? memoryStorage() : folderStorage(snapshotsDir);
    this.#acts = new BackgroundActs(options.runJob);
    this.#databases = new NewDatabases(options, this.#acts, (world) => this.assertPresent(world));
    this.snapshots = new Snapshots(storage, this.#acts, {
      runtime,
      assertPresent: (world) => this.assertPresent(world),
    });
  }

  async #begin(): Promise<void> {
    const { dir, onUpgrade, seedDefaults, randomKeys, seed } = this.#options;
    if (dir !== undefined) {
      makePrivateFolder(dir);
      this.#unusable = openExisting(dir, {
        required: DEFAULT_WORLD,
        onUpgrade,
        onOpen: (name, store) => {
          const world = this.#make(name, store);
          assertNoSharedKeys(world, this.#keys);
          if (randomKeys) assertNoKnownKeys(world, [...this.#worlds.keys()], seed);
          this.#adopt(world);
        },
      });
    }
    const given = this.#options.given && (await this.#openGiven(this.#options.given));
    const home = this.find(DEFAULT_WORLD) ?? (await this.create(DEFAULT_WORLD));
    // Its database is as it was.
    if (given === home && Buffer.isBuffer(this.#options.given?.from)) return;
    await home.transaction(SETUP, (tx) => {
      seedDefaults(tx);
      assertNoSharedKeys(home, this.#keys);
    });
    this.indexKeys(home);
  }

  async #openGiven({ name, from, lastSeries }: GivenWorld): Promise<World> {
    const written = Buffer.isBuffer(from)
      ? writeWorld(undefined, name, from, () => {})
      : await this.#databases.seeded(name, from.seed, from.inventory, (bytes) =>
          this.#databases.writeFresh(name, bytes, from),
        );
    const world = this.#open(name, written);
    this.#idSeries.observe({ seed: world.identity.seed, world: name }, lastSeries);
    return world;
  }

  list(): World[] {
    return [...this.#worlds.values()];
  }

  find(name: string): World | undefined {
    return this.#worlds.get(name);
  }

  /** Lists the worlds whose file could not be used at the start, and why. */
  unusable(): { name: string; problem: string }[] {
    return [
      ...Array.from(this.#unusable, ([name, problem]) => ({ name, problem })),
      ...this.list().flatMap(({ name, generation }) => {
        const problem = this.#damaged.get(generation);
        return problem === undefined ? [] : [{ name, problem }];
      }),
    ];
  }

  /**
   * Looks for damage in the files of all worlds, while requests are served. A damaged world stays open; `onDamaged` and
   * `unusable` report it. A check at every start would cost as much as the start itself.
   */
  async checkFiles(): Promise<void> {
    const { runtime, onDamaged } = this.#options;
    for (const world of this.list()) {
      const { generation } = world;
      const problem = await findDamage(world, runtime, this.#closing.signal);
      if (problem === undefined || this.find(world.name)?.generation !== generation) continue;
      this.#damaged.set(generation, problem);
      onDamaged?.(world.name, problem);
    }
  }

  /** @throws not_found, conflict if its file cannot be used */
  require(name: string): World {
    const world = this.#worlds.get(name);
    if (world) return world;
    this.#assertUsable('world', name);
    throw notFound(`world: world "${name}" not found; existing worlds: ${this.#names()}`);
  }

  /** Returns the world and credential of a key id. */
  findKey(keyId: string): KnownKey | undefined {
    return this.#keys.find(keyId);
  }

  /** Returns the credentials of a world. */
  credentialsOf(world: World): Credential[] {
    return this.#keys.of(world);
  }

  /** Returns the other credentials of all worlds, those of `world` first. */
  otherCredentials(world: World, keyId: string): Iterable<Credential> {
    return this.#keys.others(world, keyId);
  }

  /** Returns the secrets of all credentials. */
  secrets(): Iterable<string> {
    return this.#keys.secrets();
  }

  /** Returns the last id series of a world of this name. */
  lastSeriesOf({ name, identity: { seed } }: World): number {
    return this.#idSeries.last({ seed, world: name });
  }

  /** Called after a credential of a world was added, changed or removed. */
  indexKey(world: World, keyId: string): void {
    if (this.#worlds.get(world.name) === world) this.#keys.readOne(world, keyId);
  }

  /** Called after the database of a world was replaced. */
  indexKeys(world: World): void {
    if (this.#worlds.get(world.name) === world) this.#keys.read(world);
    else this.#keys.forget(world);
  }

  /**
   * Creates a world: fresh, or a copy of another world or of a snapshot, without its credentials.
   * @throws validation_error, conflict, not_found
   */
  create(name: string, from: NewWorld = {}): Promise<World> {
    this.#assertFree(name);
    return from.fork === undefined
      ? this.#createFresh(name, from)
      : this.#createFork(name, from.fork, from);
  }

  #createFresh(name: string, { seed = this.#options.seed, sameIds }: NewWorld): Promise<World> {
    const { inventory } = this.#options;
    return this.#databases.seeded(name, seed, inventory, (from) => {
      this.#assertFree(name);
      const owner = { seed, world: name };
      const idSeries = sameIds ? this.#idSeries.repeat(owner) : this.#idSeries.next(owner);
      return this.#open(
        name,
        this.#databases.writeFresh(name, from, { seed, inventory, idSeries }),
        true,
      );
    });
  }

  #createFork(name: string, fork: string, { beside, sameIds }: NewWorld): Promise<World> {
    return this.#databases.copied(name, this.#sourceOf(fork, beside), true, (from) => {
      this.#assertFree(name);
      const now = this.#options.runtime.now();
      const written = writeWorld(this.#options.dir, name, from, (store) => {
        assertComplete(store, fork);
        activateSnapshot(store, name, now, (seed, idSeries) => {
          const owner = { seed, world: name };
          const repeated = sameIds ? this.#idSeries.repeat(owner) : -1;
          // New ids must sort after the copied ones.
          return repeated >= idSeries ? repeated : this.#idSeries.next(owner, idSeries);
        });
        detachFork(store, now);
      });
      return this.#open(name, written);
    });
  }

  /** Prepares to receive the file of a world. */
  receive(): ReceivedWorld {
    return new ReceivedWorld(this.#options.dir);
  }

  /**
   * Adds an exported world with its credentials, which continues as after a restart.
   * @param newName by default the name in the file
   * @throws validation_error, conflict; nothing has changed then
   */
  import(received: ReceivedWorld, newName?: string): Promise<World> {
    return received.verified(this.#acts, (file) => this.#import(received, file, newName));
  }

  #import(received: ReceivedWorld, file: WorldFileContents, newName?: string): World {
    const name = newName ?? file.name;
    this.#assertFree(name);
    assertNewKeys(file.keyIds, this.#keys);
    const { randomKeys, seed, runtime } = this.#options;
    if (randomKeys && followsFromSeed(file, [file.name, name, ...this.#worlds.keys()], seed)) {
      throw conflict(
        'file: the keys of the world follow from the default seed, so anyone can compute them; create the world with a seed of its own',
      );
    }
    // A later world of the name in the file must not issue the ids that are in it.
    let idSeries = this.#idSeries.next({ seed: file.seed, world: file.name }, file.idSeries);
    if (name !== file.name) {
      idSeries = this.#idSeries.next({ seed: file.seed, world: name }, file.idSeries);
    }
    const now = runtime.now();
    const written = received.write(name, (store) =>
      activateSnapshot(store, name, now, () => idSeries),
    );
    return this.#open(name, written);
  }

  /** A rejected call leaves no file for the next start to find. */
  #open(name: string, written: NewStore, isFresh = false): World {
    let world: World | undefined;
    try {
      world = this.#make(name, written.open());
      this.#adopt(world, isFresh);
      return world;
    } catch (error) {
      if (world) this.#remove(world);
      const { dir } = this.#options;
      if (dir !== undefined) removeDatabaseFile(worldFile(dir, name));
      written.discard();
      throw error;
    }
  }

  #remove(world: World): void {
    this.#worlds.delete(world.name);
    this.#limit.forget(world);
    this.#keys.forget(world);
    world.close();
  }

  #make(name: string, store: Store): World {
    const { runtime, randomKeys, completeStore } = this.#options;
    return new World(name, store, runtime, {
      onOpened: (world) => this.#limit.opened(world),
      completeStore,
      randomKeys,
    });
  }

  /** @throws internal_error if the state folder was deleted, moved or replaced */
  #assertInPlace(): void {
    this.find(DEFAULT_WORLD)?.assertFileInPlace();
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
    this.#assertInPlace();
    this.#remove(world);
    this.snapshots.deleteAllOf(world);
    if (world.file !== undefined) removeDatabaseFile(world.file);
  }

  /** Resets a world to its seed. Credentials stay. */
  async reset(world: World, input: Input, { sameIds = false }: SameIds = {}): Promise<void> {
    this.assertPresent(world);
    world.assertFileInPlace();
    const { seed, inventory } = world.identity;
    await this.#databases.seeded(world.name, seed, inventory, async (from) => {
      const turn = world.enter(input);
      if (turn) await turn;
      this.assertPresent(world);
      const owner = { seed, world: world.name };
      const idSeries = sameIds ? world.identity.idSeries : this.#idSeries.next(owner);
      const now = this.#options.runtime.now();
      world.replaceStore((old) => {
        const keep = carryOverCredentials(old, now);
        return this.#databases.writeFresh(world.name, from, { seed, inventory, idSeries }, keep);
      });
      if (world.name !== DEFAULT_WORLD) return undefined;
      return world.transaction(SAME_INPUT, this.#options.seedDefaults);
    });
    this.indexKeys(world);
  }

  /**
   * Restores a snapshot of the world. Credentials stay as they are now.
   * @throws not_found, conflict if the snapshot cannot be used; nothing has changed then
   */
  async restore(
    world: World,
    snapshot: string,
    input: Input,
    { sameIds = false }: SameIds = {},
  ): Promise<void> {
    this.assertPresent(world);
    world.assertFileInPlace();
    const source = this.snapshots.take(world, snapshot);
    await this.#databases.copied(world.name, source, false, async (from) => {
      const turn = world.enter(input);
      if (turn) await turn;
      this.assertPresent(world);
      const now = this.#options.runtime.now();
      world.replaceStore((old) => {
        const keep = carryOverCredentials(old, now);
        return writeWorld(this.#options.dir, world.name, from, (store) => {
          assertComplete(store, snapshot);
          activateSnapshot(store, world.name, now, (seed, idSeries) =>
            sameIds ? idSeries : this.#idSeries.next({ seed, world: world.name }, idSeries),
          );
          keep(store);
        });
      });
      this.indexKeys(world);
    });
  }

  /** A world may be deleted while a request for it is read. @throws not_found */
  assertPresent(world: World): void {
    if (this.#worlds.get(world.name) === world) return;
    throw notFound(`world: ${world.name} has been deleted`);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const acts = this.#acts.close();
    for (const world of this.#worlds.values()) world.close();
    this.#worlds.clear();
    this.#keys.clear();
    await acts;
  }

  /** @returns the bytes of a small database, else a world or the file of a snapshot. @throws not_found */
  #sourceOf(fork: string, beside: World | undefined): Buffer | string | World {
    const source = this.#worlds.get(fork);
    if (source) {
      if (source.isLarge) return source;
      source.flush();
      return serializeStore(source.store);
    }
    if (beside && this.snapshots.has(beside, fork)) return this.snapshots.take(beside, fork);
    this.#assertUsable('fork', fork);
    const snapshots = beside === undefined ? '' : ` or snapshot of ${beside.name}`;
    throw notFound(
      `fork: world${snapshots} "${fork}" not found; existing worlds: ${this.#names()}`,
    );
  }

  #adopt(world: World, isFresh = false): void {
    const { seed, idSeries } = world.identity;
    this.#idSeries.observe({ seed, world: world.name }, idSeries);
    this.#worlds.set(world.name, world);
    this.#options.onOpen(world, isFresh);
    this.indexKeys(world);
  }

  /** @throws conflict */
  #assertFree(name: string): void {
    assertValidName(name);
    this.#assertInPlace();
    if (this.#worlds.has(name)) throw conflict(`name: world "${name}" already exists`);
    this.#assertUsable('name', name);
  }

  /** @param field the input that names the world. @throws conflict */
  #assertUsable(field: string, name: string): void {
    const problem = this.#unusable.get(name);
    if (problem === undefined) return;
    throw conflict(`${field}: world "${name}" cannot be used. ${problem}`);
  }

  #names(): string {
    return [...this.#worlds.keys()].join(', ');
  }
}
