import path from 'node:path';
import { conflict, notFound } from '../kernel/errors.ts';
import { removeDatabaseFile, temporaryFile } from '../store/database-file.ts';
import { findMissing } from '../store/expected-schema.ts';
import { type Store, serializeStore } from '../store/open.ts';
import { makePrivateFolder } from '../store/private-files.ts';
import type { Credential } from '../store/schema/partners.ts';
import type { Tx } from '../store/transaction.ts';
import { UnusableStateError } from '../store/unusable-state.ts';
import { assertValidName, DEFAULT_WORLD, worldFile } from './files.ts';
import { findDamage } from './find-damage.ts';
import { type FreshOptions, seededTokenKey, writeFreshWorld } from './fresh-world.ts';
import { IdSeriesLedger } from './id-series-ledger.ts';
import { assertNewKeys, assertNoSharedKeys, KeyIndex, type KnownKey } from './key-index.ts';
import { openExisting } from './open-existing.ts';
import { OpenLimit } from './open-limit.ts';
import { ReceivedWorld } from './received-world.ts';
import { activateSnapshot, carryOverCredentials, detachFork } from './restore.ts';
import { folderStorage, memoryStorage } from './snapshot-storage.ts';
import { Snapshots } from './snapshots.ts';
import { World } from './world.ts';
import { writeWorld } from './write-world.ts';

export { DEFAULT_WORLD } from './files.ts';

/** What a reset, a restore and a new world do with ids. */
export interface SameIds {
  /** Repeats the old id series, for byte-identical runs, instead of beginning the next one. */
  sameIds?: boolean | undefined;
}

export interface WorldsOptions extends FreshOptions {
  /** Folder of their snapshots; undefined keeps them in memory. */
  snapshotsDir: string | undefined;
  /** Told before a world of an older sandlot is brought up to date, which may take seconds. */
  onUpgrade?: ((world: string) => void) | undefined;
  /** Called if `checkFiles` finds damage. */
  onDamaged?: ((world: string, problem: string) => void) | undefined;
  /** Called with every world that is opened. */
  onOpen(world: World): void;
  /**
   * Puts in place what always stands in the default world: credentials and registrations. Runs at every
   * start and reset, so it adds only what is missing.
   */
  seedDefaults(tx: Tx): void;
}

/** How a new world is made. */
export interface NewWorld extends SameIds {
  /** Name of a world or, where there is none of that name, of a snapshot of `beside`. */
  fork?: string | undefined;
  beside?: World | undefined;
  seed?: string | undefined;
}

/** The worlds of one server, and which of them each key id enters. */
export class Worlds {
  readonly snapshots: Snapshots;
  readonly #options: WorldsOptions;
  readonly #worlds = new Map<string, World>();
  /** Why the file of a world could not be used at the start, by its name. */
  #unusable: ReadonlyMap<string, string> = new Map();
  /** Problems found by `checkFiles`, by the generation of the world: a reset or restore replaces its file. */
  readonly #damaged = new WeakMap<object, string>();
  readonly #closing = new AbortController();
  readonly #keys = new KeyIndex();
  readonly #idSeries: IdSeriesLedger;
  readonly #limit = new OpenLimit();

  /**
   * Opens every world on disk that can be used, and founds `default` where there is none.
   * @throws UnusableStateError when `default` cannot be used
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
    const { dir, snapshotsDir, runtime } = options;
    this.#idSeries = new IdSeriesLedger(
      dir === undefined ? undefined : path.join(dir, 'id-series'),
    );
    const storage = snapshotsDir === undefined ? memoryStorage() : folderStorage(snapshotsDir);
    this.snapshots = new Snapshots(storage, runtime);
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
    const home = this.find(DEFAULT_WORLD) ?? (await this.create(DEFAULT_WORLD));
    await home.transaction((tx) => {
      seedDefaults(tx);
      assertNoSharedKeys(home, this.#keys);
    });
    this.indexKeys(home);
  }

  list(): World[] {
    return [...this.#worlds.values()];
  }

  find(name: string): World | undefined {
    return this.#worlds.get(name);
  }

  /** Worlds whose file could not be used at the start or was found damaged since, and why. */
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
   * `unusable` tell about it. A check at every start would cost as much as the start itself.
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

  /** @throws not_found, conflict when its file cannot be used */
  require(name: string): World {
    const world = this.#worlds.get(name);
    if (world) return world;
    this.#assertUsable('world', name);
    throw notFound(`world: world "${name}" not found; existing worlds: ${this.#names()}`);
  }

  /** The world and credential that a key id names. */
  findKey(keyId: string): KnownKey | undefined {
    return this.#keys.find(keyId);
  }

  /** Who may enter a world. */
  credentialsOf(world: World): Credential[] {
    return this.#keys.of(world);
  }

  /** The credentials of all worlds other than `keyId`, those of `world` first. */
  otherCredentials(world: World, keyId: string): Iterable<Credential> {
    return this.#keys.others(world, keyId);
  }

  /** Of every credential in every world. */
  secrets(): Iterable<string> {
    return this.#keys.secrets();
  }

  /** To be called after a credential of a world was added, changed or removed. */
  indexKey(world: World, keyId: string): void {
    if (this.#worlds.get(world.name) === world) this.#keys.readOne(world, keyId);
  }

  /** To be called after a world got another database. */
  indexKeys(world: World): void {
    if (this.#worlds.get(world.name) === world) this.#keys.read(world);
    else this.#keys.forget(world);
  }

  /**
   * A new world: fresh, or a copy of the marketplace of another world or of a snapshot. Keys stay with the
   * world they were minted in.
   * @throws validation_error, conflict, not_found
   */
  async create(name: string, from: NewWorld = {}): Promise<World> {
    this.#assertAvailable(name);
    const open =
      from.fork === undefined
        ? this.#writeFresh(name, from)
        : this.#writeFork(name, from.fork, from);
    return this.#add(name, open);
  }

  /** Prepares to receive the file of a world. */
  receive(): ReceivedWorld {
    return new ReceivedWorld(this.#options.dir);
  }

  /**
   * Adds a world that was exported, keys and all. It goes on as after a restart.
   * @param newName undefined keeps the name that the file says
   * @throws validation_error, conflict; nothing has changed then
   */
  import(received: ReceivedWorld, newName?: string): World {
    const file = received.verify();
    const name = newName ?? file.name;
    this.#assertAvailable(name);
    assertNewKeys(file.keyIds, this.#keys);
    const { randomKeys, seed, runtime } = this.#options;
    if (randomKeys && followsFromSeed(file, [file.name, name, ...this.#worlds.keys()], seed)) {
      throw conflict(
        'file: the keys of the world follow from the default seed, so anyone can compute them; create the world with a seed of its own',
      );
    }
    // No later world of the name that the file says gets the ids that are in it.
    let idSeries = this.#idSeries.next({ seed: file.seed, world: file.name }, file.idSeries);
    if (name !== file.name) {
      idSeries = this.#idSeries.next({ seed: file.seed, world: name }, file.idSeries);
    }
    const now = runtime.now();
    const open = received.write(name, (store) =>
      activateSnapshot(store, name, now, () => idSeries),
    );
    return this.#add(name, open);
  }

  #assertAvailable(name: string): void {
    assertValidName(name);
    this.#assertInPlace();
    if (this.#worlds.has(name)) throw conflict(`name: there is already a world "${name}"`);
    this.#assertUsable('name', name);
  }

  #add(name: string, open: () => Store): World {
    try {
      const world = this.#make(name, open());
      this.#adopt(world);
      return world;
    } catch (error) {
      this.#undoCreate(name);
      throw error;
    }
  }

  /** A rejected call leaves no file for the next start to find. */
  #undoCreate(name: string): void {
    const world = this.#worlds.get(name);
    this.#worlds.delete(name);
    if (world) {
      this.#limit.forget(world);
      this.#keys.forget(world);
      world.close();
    }
    const { dir } = this.#options;
    if (dir === undefined) return;
    const file = worldFile(dir, name);
    removeDatabaseFile(file);
    removeDatabaseFile(temporaryFile(file));
  }

  #make(name: string, store: Store): World {
    const { runtime, randomKeys } = this.#options;
    return new World(name, store, runtime, {
      onOpened: (world) => this.#limit.opened(world),
      randomKeys,
    });
  }

  /** @throws internal_error when the state folder was deleted, moved or replaced */
  #assertInPlace(): void {
    this.find(DEFAULT_WORLD)?.assertFileInPlace();
  }

  /** @throws conflict for the default world */
  assertDeletable(world: World): void {
    if (world.name === DEFAULT_WORLD) {
      throw conflict('world: the default world always exists; reset it instead');
    }
  }

  /** @throws not_found, conflict for the default world */
  delete(name: string): void {
    const world = this.require(name);
    this.assertDeletable(world);
    this.#assertInPlace();
    this.#worlds.delete(name);
    this.#limit.forget(world);
    world.close();
    this.snapshots.deleteAllOf(world);
    if (world.file !== undefined) removeDatabaseFile(world.file);
    this.indexKeys(world);
  }

  /** Back to the seed. Credentials stay, so that whoever holds one goes on without a new key. */
  async reset(world: World, { sameIds = false }: SameIds = {}): Promise<void> {
    this.assertPresent(world);
    world.assertFileInPlace();
    const { seed, inventory } = world.identity;
    const owner = { seed, world: world.name };
    const idSeries = sameIds ? world.identity.idSeries : this.#idSeries.next(owner);
    const now = this.#options.runtime.now();
    world.replaceStore((old) =>
      writeFreshWorld(
        world.name,
        { ...this.#options, seed, inventory, idSeries },
        carryOverCredentials(old, now),
      ),
    );
    if (world.name === DEFAULT_WORLD) await world.transaction(this.#options.seedDefaults);
    this.indexKeys(world);
  }

  /**
   * Back to a snapshot of the world. Who may enter stays as it is now.
   * @throws not_found, conflict when the snapshot cannot be used; nothing has changed then
   */
  restore(world: World, snapshot: string, { sameIds = false }: SameIds = {}): void {
    this.assertPresent(world);
    world.assertFileInPlace();
    const bytes = this.snapshots.take(world, snapshot);
    const now = this.#options.runtime.now();
    world.replaceStore((old) => {
      const keep = carryOverCredentials(old, now);
      return writeWorld(this.#options.dir, world.name, bytes, (store) => {
        assertComplete(store, snapshot);
        activateSnapshot(store, world.name, now, (seed, idSeries) =>
          sameIds ? idSeries : this.#idSeries.next({ seed, world: world.name }, idSeries),
        );
        keep(store);
      });
    });
    this.indexKeys(world);
  }

  /** A world may be deleted while a request for it is being read. @throws not_found */
  assertPresent(world: World): void {
    if (this.#worlds.get(world.name) === world) return;
    throw notFound(`world: ${world.name} has been deleted`);
  }

  close(): void {
    this.#closing.abort();
    for (const world of this.#worlds.values()) world.close();
    this.#worlds.clear();
    this.#keys.clear();
  }

  #writeFresh(name: string, { seed = this.#options.seed, sameIds }: NewWorld): () => Store {
    const owner = { seed, world: name };
    const idSeries = sameIds ? this.#idSeries.repeat(owner) : this.#idSeries.next(owner);
    return writeFreshWorld(name, { ...this.#options, seed, idSeries });
  }

  #writeFork(name: string, fork: string, { beside, sameIds }: NewWorld): () => Store {
    const { dir, runtime } = this.#options;
    const bytes = this.#bytesToFork(fork, beside);
    const now = runtime.now();
    return writeWorld(dir, name, bytes, (store) => {
      assertComplete(store, fork);
      activateSnapshot(store, name, now, (seed, idSeries) => {
        const owner = { seed, world: name };
        const repeated = sameIds ? this.#idSeries.repeat(owner) : -1;
        // Its own ids must sort after those that it was copied with.
        return repeated >= idSeries ? repeated : this.#idSeries.next(owner, idSeries);
      });
      detachFork(store, now);
    });
  }

  #bytesToFork(fork: string, beside: World | undefined): Buffer {
    const source = this.#worlds.get(fork);
    if (source) {
      source.flush();
      return serializeStore(source.store);
    }
    if (beside && this.snapshots.has(beside, fork)) return this.snapshots.take(beside, fork);
    this.#assertUsable('fork', fork);
    const snapshots = beside === undefined ? '' : ` and no snapshot of ${beside.name}`;
    throw notFound(
      `fork: there is no world${snapshots} called "${fork}"; worlds: ${this.#names()}`,
    );
  }

  #adopt(world: World): void {
    const { seed, idSeries } = world.identity;
    this.#idSeries.observe({ seed, world: world.name }, idSeries);
    this.#worlds.set(world.name, world);
    this.#options.onOpen(world);
    this.indexKeys(world);
  }

  /** @param field what named it. @throws conflict */
  #assertUsable(field: string, name: string): void {
    const problem = this.#unusable.get(name);
    if (problem === undefined) return;
    throw conflict(`${field}: world "${name}" cannot be used. ${problem}`);
  }

  #names(): string {
    return [...this.#worlds.keys()].join(', ');
  }
}

/** @throws conflict for a snapshot that lacks a table or column */
function assertComplete({ client }: Store, snapshot: string): void {
  const missing = findMissing(client);
  if (missing === undefined) return;
  throw conflict(`snapshot ${snapshot}: it is damaged (${missing}). Delete the snapshot.`);
}

/**
 * Rejects a world whose keys follow from the default seed, where keys that everybody knows must not work.
 * @param others names of worlds that it may be a fork of, whose token key it has then
 * @throws UnusableStateError
 */
function assertNoKnownKeys(
  { name, identity }: World,
  others: readonly string[],
  seed: string,
): void {
  if (!followsFromSeed(identity, [name, ...others], seed)) return;
  throw new UnusableStateError(
    `The keys of world ${name} follow from the default seed, so anyone can compute them. On an address that is not loopback, start with another --data-dir, or give --seed ${seed} to use them all the same. Nothing was changed.`,
  );
}

/** Whether the token key of a world is that of a world of one of these names, or the default one, made of `seed`. */
function followsFromSeed(
  { tokenKey }: { tokenKey: string },
  names: readonly string[],
  seed: string,
): boolean {
  return [DEFAULT_WORLD, ...names].some((each) => seededTokenKey(seed, each) === tokenKey);
}
