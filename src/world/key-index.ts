import type { Store } from '../store/open.ts';
import { type Credential, credentials } from '../store/schema/partners.ts';
import { finder, select } from '../store/table.ts';
import type { World } from './world.ts';

const allCredentials = select(credentials);
const findCredential = finder(credentials, 'keyId');

/** The credentials of all worlds by key id. */
export class KeyIndex {
  readonly #keys = new Map<string, { world: World; credential: Credential }>();

  find(keyId: string) {
    return this.#keys.get(keyId);
  }

  /** Yields the secrets of all worlds. */
  *secrets(): Generator<string> {
    for (const { credential } of this.#keys.values()) yield credential.secret;
  }

  hasSecret(secret: string): boolean {
    return [...this.secrets()].includes(secret);
  }

  /** Returns the credentials of a world. */
  credentialsOf(world: World): Credential[] {
    const keys = [...this.#keys.values()].filter((key) => key.world === world);
    return keys.map(({ credential }) => credential);
  }

  /** Yields all credentials except that of `keyId` in `world`: first those of the world, then those of other worlds. */
  *others(world: World, keyId: string): Generator<Credential> {
    for (const credential of this.credentialsOf(world))
      if (credential.keyId !== keyId) yield credential;
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
    else this.#keys.delete(keyId);
  }

  forget(world: World): void {
    for (const [keyId, key] of this.#keys) if (key.world === world) this.#keys.delete(keyId);
  }
}

/** Returns why a world of this name cannot have the credentials of a database: another world has one of its keys. */
export function problemOfSharedKeys(store: Store, index: KeyIndex, name: string) {
  const shared = allCredentials(store)
    .all()
    .map(({ keyId }) => index.find(keyId))
    .find((key) => key && key.world.name !== name);
  if (!shared) return undefined;
  return `the key ID ${shared.credential.keyId} is in world ${shared.world.name} already, and a key ID belongs to one world only; revoke one of the two credentials, or leave it out of the configuration (the default credential: --no-default-credential)`;
}
