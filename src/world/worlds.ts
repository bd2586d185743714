import fs from 'node:fs';
import type { InferSelectModel } from 'drizzle-orm';
import { conflict, notFound, validationError } from '../kernel/errors.ts';
import { base62From } from '../kernel/ids.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { removeDatabaseFile } from '../store/database-file.ts';
import {
  closeStore,
  openFileStore,
  openFreshFileStore,
  openMemoryStore,
  type Store,
  serialiseStore,
} from '../store/open.ts';
import { StateRefusedError } from '../store/refused.ts';
import { credentials } from '../store/schema/partners.ts';
import { world as worldTable } from '../store/schema/world.ts';
import type { Tx } from '../store/transaction.ts';
import { isWorldName, worldFile, worldNamesIn } from './files.ts';
import { makeOwn, takeCredentialsAlong } from './handover.ts';
import { type Fill, remade, seededTemplate } from './template.ts';
import { isFounded, World } from './world.ts';

export const DEFAULT_WORLD = 'default';

export type CredentialRow = InferSelectModel<typeof credentials>;

export interface WorldsOptions {
  /** Folder of the world files; undefined keeps every world in memory. */
  dir: string | undefined;
  runtime: Runtime;
  /** Seed and number of synthetic domains of a fresh world. */
  seed: string;
  inventory: number;
  /** Sandbox time, Unix ms, at which a fresh world's clock stands frozen; undefined lets it run with real time. */
  frozenAt?: number | undefined;
  fill: Fill;
  /** Told of every world that is open from now on. */
  onOpen(world: World): void;
  /**
   * Puts in place what always stands in the default world: credentials and registrations. Runs at every
   * start and reset, so it adds only what is missing.
   */
  found(tx: Tx): void;
}

/** The worlds of one server, and which of them each key id enters. */
export class Worlds {
  readonly #options: WorldsOptions;
  readonly #worlds = new Map<string, World>();
  readonly #keys = new Map<string, { world: World; credential: CredentialRow }>();

  /**
   * Opens every world on disk, and founds `default` where there is none.
   * @throws StateRefusedError
   */
  static async open(options: WorldsOptions): Promise<Worlds> {
    const worlds = new Worlds(options);
    const { dir } = options;
    if (dir !== undefined) {
      fs.mkdirSync(dir, { recursive: true });
      worlds.#openExisting(dir);
    }
    const home = worlds.find(DEFAULT_WORLD) ?? (await worlds.create(DEFAULT_WORLD));
    await home.transact(options.found);
    worlds.#refuseSharedKeys();
    worlds.indexKeys(home);
    return worlds;
  }

  private constructor(options: WorldsOptions) {
    this.#options = options;
  }

  list(): World[] {
    return [...this.#worlds.values()];
  }

  find(name: string): World | undefined {
    return this.#worlds.get(name);
  }

  /** @throws not_found */
  require(name: string): World {
    const world = this.#worlds.get(name);
    if (world) return world;
    throw notFound(`world: there is no world "${name}"; there are ${this.#names()}`);
  }

  /** The world and credential that a key id names. */
  findKey(keyId: string): { world: World; credential: CredentialRow } | undefined {
    return this.#keys.get(keyId);
  }

  /** Secrets of the world's other credentials, for telling a client that it mixed them up. */
  otherSecrets(world: World, keyId: string): string[] {
    return [...this.#keys.values()]
      .filter((known) => known.world === world && known.credential.keyId !== keyId)
      .map((known) => known.credential.secret);
  }

  /** To be called after every change to a world's credentials. */
  indexKeys(world: World): void {
    for (const [keyId, known] of this.#keys) if (known.world === world) this.#keys.delete(keyId);
    if (this.#worlds.get(world.name) !== world) return;
    for (const credential of world.store.db.select().from(credentials).all()) {
      this.#keys.set(credential.keyId, { world, credential });
    }
  }

  /**
   * A new world: fresh, or a copy of another's marketplace. Keys stay with the world they were minted in.
   * @throws validation_error, conflict, not_found
   */
  async create(
    name: string,
    from: { fork?: string | undefined; seed?: string | undefined } = {},
  ): Promise<World> {
    if (!isWorldName(name)) {
      throw validationError(
        'name: lower-case letters, digits, "-" and "_", at most 63, starting with a letter or digit',
      );
    }
    if (this.#worlds.has(name)) throw conflict(`name: there is already a world "${name}"`);
    const bytes =
      from.fork === undefined
        ? this.#freshBytes(name, from.seed ?? this.#options.seed, this.#options.inventory)
        : this.#forkBytes(name, this.require(from.fork));
    const world = new World(name, this.#storeOf(name, bytes), this.#options.runtime);
    this.#adopt(world);
    return world;
  }

  /** @throws conflict for the default world */
  refuseDelete(world: World): void {
    if (world.name === DEFAULT_WORLD) {
      throw conflict('world: the default world always exists; reset it instead');
    }
  }

  /** @throws not_found, conflict for the default world */
  delete(name: string): void {
    const world = this.require(name);
    this.refuseDelete(world);
    this.#worlds.delete(name);
    world.close();
    if (world.store.file !== undefined) removeDatabaseFile(world.store.file);
    this.indexKeys(world);
  }

  /** Back to the seed. Credentials stay, so that whoever holds one goes on without a new key. */
  async reset(world: World): Promise<void> {
    const { seed, inventory } = world.identity;
    world.replaceStore((old) => {
      const bytes = this.#freshBytes(world.name, seed, inventory, takeCredentialsAlong(old));
      closeStore(old);
      return this.#storeOf(world.name, bytes);
    });
    if (world.name === DEFAULT_WORLD) await world.transact(this.#options.found);
    this.indexKeys(world);
  }

  close(): void {
    for (const world of this.#worlds.values()) world.close();
    this.#worlds.clear();
    this.#keys.clear();
  }

  /** All or none: where one state is refused, nothing has begun in the others. */
  #openExisting(dir: string): void {
    const stores = new Map<string, Store>();
    try {
      for (const name of worldNamesIn(dir)) stores.set(name, openFileStore(worldFile(dir, name)));
    } catch (error) {
      for (const store of stores.values()) closeStore(store);
      throw error;
    }
    for (const [name, store] of stores) {
      if (isFounded(store)) {
        this.#adopt(new World(name, store, this.#options.runtime));
        continue;
      }
      // A database of ours in which no world was founded: nobody was ever answered from it.
      closeStore(store);
      removeDatabaseFile(worldFile(dir, name));
    }
  }

  /** A freshly seeded world, with its identity and whatever `furnish` adds. */
  #freshBytes(
    name: string,
    seed: string,
    inventory: number,
    furnish: (store: Store) => void = () => {},
  ): Buffer {
    const now = this.#options.runtime.now();
    const frozenAt = this.#options.frozenAt ?? null;
    return remade(seededTemplate(this.#options.fill, seed, inventory), (store) => {
      store.db
        .insert(worldTable)
        .values({
          id: 1,
          name,
          seed,
          inventory,
          tokenKey: base62From(`${seed}\n${name}\ntoken key`),
          clockOffsetMs: frozenAt === null ? 0 : frozenAt - now,
          clockFrozenAt: frozenAt,
          createdAt: now,
        })
        .run();
      furnish(store);
    });
  }

  #forkBytes(name: string, source: World): Buffer {
    source.flush();
    const now = this.#options.runtime.now();
    return remade(serialiseStore(source.store), (fork) => makeOwn(fork, name, now));
  }

  /** Puts a finished world in place in one step, so that a kill leaves the old one or the new. */
  #storeOf(name: string, bytes: Buffer): Store {
    const { dir } = this.#options;
    if (dir === undefined) return openMemoryStore(bytes);
    return openFreshFileStore(worldFile(dir, name), bytes);
  }

  #adopt(world: World): void {
    this.#worlds.set(world.name, world);
    this.#options.onOpen(world);
    this.indexKeys(world);
  }

  /** A key enters one world only; what stands from the start may have been minted elsewhere before. */
  #refuseSharedKeys(): void {
    const homes = new Map<string, string>();
    for (const world of this.#worlds.values()) {
      for (const { keyId } of world.store.db.select().from(credentials).all()) {
        const other = homes.get(keyId);
        if (other !== undefined) {
          throw new StateRefusedError(
            `The key id ${keyId} is both in the world ${other} and in ${world.name}, and a key enters one world only. Leave it out of the configuration (or start with --no-default-credential) and revoke one of them.`,
          );
        }
        homes.set(keyId, world.name);
      }
    }
  }

  #names(): string {
    return [...this.#worlds.keys()].join(', ');
  }
}
