/** What is written into a copy of a database before it becomes a world. */
import { eq, like, or, sql } from 'drizzle-orm';
import { base62From, randomSecret } from '../kernel/ids.ts';
import type { Runtime } from '../kernel/runtime.ts';
import type { Store } from '../store/open.ts';
import type { HasDb } from '../store/prepared.ts';
import { deliveries } from '../store/schema/events.ts';
import {
  credentials,
  idempotencyKeys,
  isSameCredential,
  partners,
} from '../store/schema/partners.ts';
import { counters, worldTable } from '../store/schema/world.ts';
import { finder, inserter, select } from '../store/table.ts';
import { Clock } from './clock.ts';

const selectWorld = select(worldTable);
const insertWorld = inserter(worldTable);
const insertCredential = inserter(credentials);
const findCredential = finder(credentials, 'keyId');

/** What identifies a world. */
export interface WorldIdentity {
  name: string;
  seed: string;
  /** Number of synthetic domains. */
  inventory: number;
  idSeries: number;
}

/**
 * Whether the token key and generated credentials of a world of this seed come from the system's random source, not from
 * its seed.
 */
export type RandomKeys = (seed: string) => boolean;

/**
 * Makes a seeded database a fresh world.
 * @param options.frozenAt sandbox time at which the clock is frozen, Unix ms; undefined lets it run
 */
export function initializeWorld(
  store: Store,
  identity: WorldIdentity,
  options: { runtime: Runtime; randomKeys?: RandomKeys | undefined; frozenAt?: number | undefined },
): void {
  const { runtime, frozenAt } = options;
  const isRandom = options.randomKeys?.(identity.seed);
  const now = runtime.now();
  insertWorld(store, {
    ...identity,
    id: 1,
    tokenKey: isRandom ? randomSecret() : seededTokenKey(identity.seed, identity.name),
    tokenKeyOf: isRandom ? null : identity.name,
    clockOffsetMs: frozenAt === undefined ? 0 : frozenAt - now,
    clockFrozenAt: frozenAt ?? null,
    clockLatest: frozenAt ?? now,
    createdAt: now,
  });
}

/** Returns the row of table `world`. */
export function requireIdentity(db: HasDb) {
  const row = selectWorld(db).get();
  if (!row) throw new Error('table world is empty');
  return row;
}

/** The token key of a fresh world, which follows from its seed and name. */
export function seededTokenKey(seed: string, name: string): string {
  return base62From(`${seed}\n${name}\ntoken key`);
}

/** Returns why other machines must not reach a world: its token key follows from the default seed, which is public. */
export function problemOfTokenKey(
  name: string,
  { tokenKey, tokenKeyOf }: ReturnType<typeof requireIdentity>,
  publicSeed: string,
): string | undefined {
  if (tokenKeyOf === null || seededTokenKey(publicSeed, tokenKeyOf) !== tokenKey) return undefined;
  return `the keys of world ${name} follow from the default seed, so anyone can compute them; use a world with another seed (start with another --data-dir), or pass --seed ${publicSeed} to use them all the same`;
}

/**
 * Makes a copy of a world or a snapshot the world of that name, with a new series of ids. The running clock of a snapshot
 * continues from the time of saving.
 * @param now real time, Unix ms
 */
export function continueWorld(
  copy: Store,
  { name, idSeries }: { name: string; idSeries: number },
  now: number,
): void {
  const elapsed = sql`coalesce(${now} - ${worldTable.savedAt}, 0)`;
  const clockOffsetMs = sql`${worldTable.clockOffsetMs} - ${elapsed}`;
  const values = { name, savedAt: null, clockOffsetMs, idSeries };
  copy.db.update(worldTable).set(values).run();
}

/**
 * Removes what a fork must not share with its source: everything that belongs to credentials, and pending deliveries.
 * @param createdAt real time, Unix ms
 */
export function detachFork(fork: Store, createdAt: number): void {
  for (const table of [credentials, idempotencyKeys]) fork.db.delete(table).run();
  // The source sends them.
  fork.db
    .update(deliveries)
    .set({ status: 'failed', nextAttemptAt: null, fault: null })
    .where(eq(deliveries.status, 'pending'))
    .run();
  fork.db.update(worldTable).set({ createdAt }).run();
}

/**
 * Writes what a reset and a restore keep into the next database: the credentials, in place of those of a snapshot; the
 * partners, beside those of a snapshot, to which its rows refer; and the counters of their ids and secrets.
 */
export function keepCredentials(old: Store, next: Store, runtime: Runtime): void {
  const sandboxNow = new Clock(next, runtime, requireIdentity(next)).now();
  for (const partner of old.db.select().from(partners).all()) {
    // Settlement periods begin in the month of `createdAt`: not after a clock that is set back. The rest never changes.
    const createdAt = Math.min(partner.createdAt, sandboxNow);
    const inserted = next.db.insert(partners).values({ ...partner, createdAt });
    inserted.onConflictDoUpdate({ target: partners.partnerId, set: { createdAt } }).run();
  }
  for (const saved of next.db.select().from(credentials).all()) {
    if (isSameCredential(findCredential(old, saved.keyId), saved)) continue;
    // A new credential of a key id must not replay the responses of the former one.
    next.db.delete(idempotencyKeys).where(eq(idempotencyKeys.keyId, saved.keyId)).run();
  }
  next.db.delete(credentials).run();
  for (const credential of old.db.select().from(credentials).all()) {
    insertCredential(next, credential);
  }
  const countersToKeep = or(eq(counters.name, 'ptr'), like(counters.name, 'secret:%'));
  for (const counter of old.db.select().from(counters).where(countersToKeep).all()) {
    const inserted = next.db.insert(counters).values(counter);
    const set = { value: sql`max(value, excluded.value)` };
    inserted.onConflictDoUpdate({ target: counters.name, set }).run();
  }
}
