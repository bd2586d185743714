import { StateRefusedError } from '../store/refused.ts';
import { type Credential, credentials } from '../store/schema/partners.ts';
import type { World } from './world.ts';

/** Who a key id is, and the one world that it enters. */
export interface KnownKey {
  world: World;
  credential: Credential;
}

/** The credentials of all worlds by key id, so that no request looks for its world. */
export class KeyIndex {
  readonly #keys = new Map<string, KnownKey>();

  find(keyId: string): KnownKey | undefined {
    return this.#keys.get(keyId);
  }

  /** Who may enter a world. */
  of(world: World): Credential[] {
    return [...this.#keys.values()]
      .filter((known) => known.world === world)
      .map(({ credential }) => credential);
  }

  /** Reads the credentials of a world anew. */
  read(world: World): void {
    this.forget(world);
    for (const credential of credentialsIn(world)) {
      this.#keys.set(credential.keyId, { world, credential });
    }
  }

  forget(world: World): void {
    for (const [keyId, known] of this.#keys) if (known.world === world) this.#keys.delete(keyId);
  }

  clear(): void {
    this.#keys.clear();
  }
}

/**
 * A key enters one world only; what stands from the start may have been minted elsewhere before.
 * @throws StateRefusedError
 */
export function refuseSharedKeys(worlds: Iterable<World>): void {
  const homes = new Map<string, string>();
  for (const world of worlds) {
    for (const { keyId } of credentialsIn(world)) {
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

function credentialsIn(world: World): Credential[] {
  return world.store.db.select().from(credentials).all();
}
