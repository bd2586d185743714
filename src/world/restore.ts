import { eq, sql } from 'drizzle-orm';
import { conflict } from '../kernel/errors.ts';
import type { Store } from '../store/open.ts';
import { inserter } from '../store/prepared.ts';
import { deliveries } from '../store/schema/events.ts';
import {
  credentials,
  idempotencyKeys,
  nonces,
  partners,
  rateWindows,
} from '../store/schema/partners.ts';
import { counters, world } from '../store/schema/world.ts';

const insertCredential = inserter(credentials);
const insertNonce = inserter(nonces);

/** Ids that must not be given out twice once the rows that carry them are kept. */
function countsPartnersOrSecrets(name: string): boolean {
  return name === 'ptr' || name.startsWith('secret:');
}

/**
 * What a reset and a restore keep: who may enter, and which of their requests were used up, since nonces run
 * on the real clock. Read from the old database, written into the next, where it takes the place of what a
 * snapshot says of that. Rate windows start over.
 * @param now real time, Unix ms
 */
export function carryOverCredentials(old: Store, now: number): (next: Store) => void {
  const keptPartners = old.db.select().from(partners).all();
  const keptCredentials = old.db.select().from(credentials).all();
  const keptNonces = old.db.select().from(nonces).all();
  const keptCounters = old.db
    .select()
    .from(counters)
    .all()
    .filter((counter) => countsPartnersOrSecrets(counter.name));
  return (next) => {
    for (const table of [credentials, nonces, rateWindows]) next.db.delete(table).run();
    const sandboxNow = clockOf(next, now);
    const ids = new Map<string, string>();
    for (const partner of keptPartners) {
      // The clock may have been set back to before it was created: its settlement periods begin by then.
      const createdAt = Math.min(partner.createdAt, sandboxNow);
      ids.set(partner.partnerId, addPartner(next, { ...partner, createdAt }));
    }
    for (const credential of keptCredentials) {
      const partnerId = ids.get(credential.partnerId) ?? credential.partnerId;
      insertCredential(next, { ...credential, partnerId });
    }
    for (const nonce of keptNonces) insertNonce(next, nonce);
    for (const counter of keptCounters) {
      next.db
        .insert(counters)
        .values(counter)
        .onConflictDoUpdate({
          target: counters.name,
          set: { value: sql`max(value, excluded.value)` },
        })
        .run();
    }
  };
}

/** Sandbox time of a database that is not open yet. @param now real time, both Unix ms */
function clockOf(store: Store, now: number): number {
  const row = store.db
    .select({ offsetMs: world.clockOffsetMs, frozenAt: world.clockFrozenAt })
    .from(world)
    .get();
  return row?.frozenAt ?? now + (row?.offsetMs ?? 0);
}

/**
 * Partners of a snapshot stay, since its orders are theirs, also where a world that was lost and made again has
 * given a partner of the same name another id.
 * @returns the id of the partner of that name
 * @throws conflict when the id is that of a partner of another name
 */
function addPartner(next: Store, partner: typeof partners.$inferSelect): string {
  const { partnerId, name } = partner;
  const [sameName] = next.db.select().from(partners).where(eq(partners.name, name)).all();
  if (sameName) return sameName.partnerId;
  const [sameId] = next.db.select().from(partners).where(eq(partners.partnerId, partnerId)).all();
  if (sameId) {
    throw conflict(
      `the snapshot is of another history of this world: partner ${partnerId} is "${name}" now, and was "${sameId.name}" then`,
    );
  }
  next.db.insert(partners).values(partner).run();
  return partnerId;
}

/**
 * Makes a copy of a world a world that lives, under a name: where it is a snapshot, a running clock runs on
 * from the moment of saving.
 * @param now real time, Unix ms
 * @param seriesAfter gives the id series to go on with, by the seed and the id series of the copy
 */
export function activateSnapshot(
  copy: Store,
  name: string,
  now: number,
  seriesAfter: (seed: string, idSeries: number) => number,
): void {
  const row = copy.db.select({ seed: world.seed, idSeries: world.idSeries }).from(world).get();
  const elapsed = sql`coalesce(${now} - ${world.savedAt}, 0)`;
  copy.db
    .update(world)
    .set({
      name,
      savedAt: null,
      clockOffsetMs: sql`${world.clockOffsetMs} - ${elapsed}`,
      ...(row && { idSeries: seriesAfter(row.seed, row.idSeries) }),
    })
    .run();
}

/**
 * Cuts a copy loose from the world it was made of. A key enters one world only, so all that belongs to keys is dropped;
 * and no event is delivered twice.
 * @param createdAt real time, Unix ms
 */
export function detachFork(fork: Store, createdAt: number): void {
  for (const table of [credentials, nonces, rateWindows, idempotencyKeys]) {
    fork.db.delete(table).run();
  }
  // What the source still owes it delivers itself.
  fork.db
    .update(deliveries)
    .set({ status: 'failed', nextAttemptAt: null, fault: null })
    .where(eq(deliveries.status, 'pending'))
    .run();
  fork.db.update(world).set({ createdAt }).run();
}
