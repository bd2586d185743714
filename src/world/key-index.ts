import { eq } from 'drizzle-orm';
import { conflict } from '../kernel/errors.ts';
import { type Credential, credentials } from '../store/schema/partners.ts';
import { UnusableStateError } from '../store/unusable-state.ts';
import type { World } from './world.ts';

/** Who a key id is, and the one world that it enters. */
export interface KnownKey {
  world: World;
  credential: Credential;
}

/** The credentials of all worlds by key id, so that no request looks for its world. */
export class KeyIndex {
  readonly #keys = new Map<string, KnownKey>();
  /** Key ids by world. */
  readonly #ofWorld = new Map<World, Set<string>>();

  find(keyId: string): KnownKey | undefined {
    return this.#keys.get(keyId);
  }

  *secrets(): Generator<string> {
    for (const { credential } of this.#keys.values()) yield credential.secret;
  }

  /** Who may enter a world. */
  of(world: World): Credential[] {
    const known = Array.from(this.#ofWorld.get(world) ?? [], (keyId) => this.#keys.get(keyId));
    return known.flatMap((each) => (each ? [each.credential] : []));
  }

  /** The credentials other than `keyId`: those of the world first, then those of the other worlds. */
  *others(world: World, keyId: string): Generator<Credential> {
    for (const credential of this.of(world)) if (credential.keyId !== keyId) yield credential;
    for (const known of this.#keys.values()) if (known.world !== world) yield known.credential;
  }

  /** Reads all credentials of a world again. */
  read(world: World): void {
    this.forget(world);
    for (const credential of credentialsIn(world)) this.#put(world, credential);
  }

  /** Reads one credential of a world again, whether it is new, changed or gone. */
  readOne(world: World, keyId: string): void {
    const [credential] = world.store.db
      .select()
      .from(credentials)
      .where(eq(credentials.keyId, keyId))
      .all();
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
    const own = this.#ofWorld.get(world) ?? new Set();
    this.#ofWorld.set(world, own.add(keyId));
  }
}

/**
 * A key enters one world only; what stands from the start may have been minted elsewhere before.
 * @throws UnusableStateError
 */
export function assertNoSharedKeys(world: World, index: KeyIndex): void {
  for (const { keyId } of credentialsIn(world)) {
    const other = index.find(keyId)?.world ?? world;
    if (other === world) continue;
    throw new UnusableStateError(
      `The key id ${keyId} is both in the world ${other.name} and in ${world.name}, and a key enters one world only. Leave it out of the configuration (or start with --no-default-credential) and revoke one of them.`,
    );
  }
}

/** How many key ids a message names. */
const MAX_NAMED = 5;

/** @throws conflict if one of the key ids enters a world already */
export function assertNewKeys(keyIds: readonly string[], index: KeyIndex): void {
  const shared = keyIds.filter((keyId) => index.find(keyId));
  if (shared.length === 0) return;
  const named = shared
    .slice(0, MAX_NAMED)
    .map((keyId) => `${keyId} (world ${index.find(keyId)?.world.name})`);
  const more = shared.length > MAX_NAMED ? ` and ${shared.length - MAX_NAMED} more` : '';
  throw conflict(
    `file: a key ID enters one world only, and this sandbox has ${named.join(', ')}${more}; revoke the credential in one of the worlds`,
  );
}

function credentialsIn(world: World): Credential[] {
  return world.store.db.select().from(credentials).all();
}
