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

  find(keyId: string): KnownKey | undefined {
    return this.#keys.get(keyId);
  }

  hasSecret(secret: string): boolean {
    for (const { credential } of this.#keys.values()) if (credential.secret === secret) return true;
    return false;
  }

  /** Returns the credentials of a world. */
  of(world: World): Credential[] {
    const keys = [...this.#keys.values()].filter((key) => key.world === world);
    return keys.map(({ credential }) => credential);
  }

  /** Returns the other credentials: those of the world first, then those of the other worlds. */
  *others(world: World, keyId: string): Generator<Credential> {
    for (const credential of this.of(world)) if (credential.keyId !== keyId) yield credential;
    for (const key of this.#keys.values()) if (key.world !== world) yield key.credential;
  }

  /** Reads all credentials of a world again. */
  read(world: World): void {
    this.forget(world);
    for (const credential of allCredentials(world.store).all()) {
      this.#keys.set(credential.keyId, { world, credential });
    }
  }

  /** Reads a credential of a world again after it was added, changed or removed. */
  readOne(world: World, keyId: string): void {
    const credential = findCredential(world.store, keyId);
    if (credential) this.#keys.set(keyId, { world, credential });
    else if (this.#keys.get(keyId)?.world === world) this.#keys.delete(keyId);
  }

  forget(world: World): void {
    for (const [keyId, key] of this.#keys) if (key.world === world) this.#keys.delete(keyId);
  }

  clear(): void {
    this.#keys.clear();
  }
}

/** A key belongs to one world, but configured keys may already be in another world. @throws UnusableStateError */
export function assertNoSharedKeys({ name, store }: World, index: KeyIndex): void {
  const key = findShared(store, index, name);
  if (!key) return;
  throw new UnusableStateError(
    `The key id ${key.credential.keyId} is both in the world ${key.world.name} and in ${name}, and a key belongs to one world only. Leave it out of the configuration (or start with --no-default-credential) and revoke one of them.`,
  );
}

/** @throws conflict if a key id of a world file already belongs to a world */
export function assertNewKeys(file: Store, index: KeyIndex): void {
  const key = findShared(file, index);
  if (!key) return;
  throw conflict(
    `file: a key ID belongs to one world only, and this sandbox has ${key.credential.keyId} (world ${key.world.name}); revoke the credential in one of the worlds`,
  );
}

/** Finds a key id of a database that belongs to a world, other than the one of this `name`. */
function findShared(store: Store, index: KeyIndex, name?: string): KnownKey | undefined {
  for (const { keyId } of allCredentials(store).all()) {
    const key = index.find(keyId);
    if (key && key.world.name !== name) return key;
  }
  return undefined;
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
