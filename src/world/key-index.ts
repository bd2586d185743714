import { conflict } from '../kernel/errors.ts';
import { UnusableStateError } from '../store/errors.ts';
import type { Store } from '../store/open.ts';
import { type Credential, credentials } from '../store/schema/partners.ts';
import { finder, select } from '../store/table.ts';
import { DEFAULT_WORLD } from './files.ts';
import { seededTokenKey } from './new-world.ts';
import type { World } from './world.ts';

const allCredentials = select(credentials);
const findCredential = finder(credentials, 'keyId');

/** The credential of a key id and its world. */
export interface KnownKey {
  world: World;
  credential: Credential;
}

/** The credentials of all worlds by key id. */
export class KeyIndex {
  readonly #keys = new Map<string, KnownKey>();
  /** Key ids by world. */
  readonly #ofWorld = new Map<World, Set<string>>();

  find(keyId: string): KnownKey | undefined {
    return this.#keys.get(keyId);
  }

  hasSecret(secret: string): boolean {
    for (const candidate of this.secrets()) if (candidate === secret) return true;
    return false;
  }

  *secrets(): Generator<string> {
    for (const { credential } of this.#keys.values()) yield credential.secret;
  }

  /** Returns the credentials of a world. */
  of(world: World): Credential[] {
    const keys = Array.from(this.#ofWorld.get(world) ?? [], (keyId) => this.#keys.get(keyId));
    return keys.flatMap((key) => (key ? [key.credential] : []));
  }

  /** Returns the other credentials: those of the world first, then those of the other worlds. */
  *others(world: World, keyId: string): Generator<Credential> {
    for (const credential of this.of(world)) if (credential.keyId !== keyId) yield credential;
    for (const key of this.#keys.values()) if (key.world !== world) yield key.credential;
  }

  /** Reads all credentials of a world again. */
  read(world: World): void {
    this.forget(world);
    for (const credential of credentialsIn(world)) this.#put(world, credential);
  }

  /** Reads a credential of a world again after it was added, changed or removed. */
  readOne(world: World, keyId: string): void {
    const credential = findCredential(world.store, keyId);
    if (credential) this.#put(world, credential);
    else if (this.#ofWorld.get(world)?.delete(keyId)) this.#keys.delete(keyId);
  }

  forget(world: World): void {
    for (const keyId of this.#ofWorld.get(world) ?? []) this.#keys.delete(keyId);
    this.#ofWorld.delete(world);
  }

  clear(): void {
    this.#keys.clear();
    this.#ofWorld.clear();
  }

  #put(world: World, credential: Credential): void {
    const { keyId } = credential;
    this.#keys.set(keyId, { world, credential });
    const keyIds = this.#ofWorld.get(world) ?? new Set();
    this.#ofWorld.set(world, keyIds.add(keyId));
  }
}

/** A key belongs to one world, but configured keys may already be in another world. @throws UnusableStateError */
export function assertNoSharedKeys(world: World, index: KeyIndex): void {
  for (const { keyId } of credentialsIn(world)) {
    const otherWorld = index.find(keyId)?.world ?? world;
    if (otherWorld === world) continue;
    throw new UnusableStateError(
      `The key id ${keyId} is both in the world ${otherWorld.name} and in ${world.name}, and a key belongs to one world only. Leave it out of the configuration (or start with --no-default-credential) and revoke one of them.`,
    );
  }
}

/** How many key ids a message names. */
const MAX_NAMED = 5;

/** @throws conflict if a key id of a world file already belongs to a world */
export function assertNewKeys(store: Store, index: KeyIndex): void {
  const keyIds = allCredentials(store)
    .all()
    .map(({ keyId }) => keyId);
  const shared = keyIds.filter((keyId) => index.find(keyId));
  if (shared.length === 0) return;
  const examples = shared
    .slice(0, MAX_NAMED)
    .map((keyId) => `${keyId} (world ${index.find(keyId)?.world.name})`);
  const more = shared.length > MAX_NAMED ? ` and ${shared.length - MAX_NAMED} more` : '';
  throw conflict(
    `file: a key ID belongs to one world only, and this sandbox has ${examples.join(', ')}${more}; revoke the credential in one of the worlds`,
  );
}

/**
 * Rejects a world whose token key follows from the default seed.
 * @param sources names of the worlds that it may be a fork of; a fork has the token key of its source
 * @throws UnusableStateError
 */
export function assertNoKnownKeys(
  { name, identity }: World,
  sources: readonly string[],
  seed: string,
): void {
  if (!followsFromSeed(identity, [name, ...sources], seed)) return;
  throw new UnusableStateError(
    `The keys of world ${name} follow from the default seed, so anyone can compute them. On an address that is not loopback, start with another --data-dir, or pass --seed ${seed} to use them all the same. Nothing was changed.`,
  );
}

/** Whether a token key is that of the default world, or a world of one of these names, made of `seed`. */
export function followsFromSeed(
  { tokenKey }: { tokenKey: string },
  names: readonly string[],
  seed: string,
): boolean {
  return [DEFAULT_WORLD, ...names].some((name) => seededTokenKey(seed, name) === tokenKey);
}

function credentialsIn(world: World): Credential[] {
  return allCredentials(world.store).all();
}
