import { eq, sql } from 'drizzle-orm';
import { conflict } from '../kernel/errors.ts';
import type { Store } from '../store/open.ts';
import { deliveries } from '../store/schema/events.ts';
import { credentials, idempotencyKeys, partners } from '../store/schema/partners.ts';
import { findMissing } from '../store/schema/tables.ts';
import { counters, world } from '../store/schema/world.ts';
import { inserter } from '../store/table.ts';

const insertCredential = inserter(credentials);

/** Whether a counter issues ids of rows that are kept, which must not be issued again. */
function countsPartnersOrSecrets(name: string): boolean {
  return name === 'ptr' || name.startsWith('secret:');
}

/**
 * Reads what a reset and a restore keep: partners and credentials.
 * @param now real time, Unix ms
 * @returns writes it to the next database, in place of what a snapshot contains
 */
export function carryOverCredentials(old: Store, now: number): (next: Store) => void {
  const keptPartners = old.db.select().from(partners).all();
  const keptCredentials = old.db.select().from(credentials).all();
  const keptCounters = old.db
    .select()
    .from(counters)
    .all()
    .filter((counter) => countsPartnersOrSecrets(counter.name));
  return (next) => {
    next.db.delete(credentials).run();
    const sandboxNow = clockOf(next, now);
    const ids = new Map<string, string>();
    for (const partner of keptPartners) {
      // The clock may be set back to before the partner was created; its settlement periods begin no later.
      const createdAt = Math.min(partner.createdAt, sandboxNow);
      ids.set(partner.partnerId, addPartner(next, { ...partner, createdAt }));
    }
    for (const credential of keptCredentials) {
      const partnerId = ids.get(credential.partnerId) ?? credential.partnerId;
      insertCredential(next, { ...credential, partnerId });
    }
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

/** Returns the sandbox time of a database that is not in use. @param now real time, both Unix ms */
function clockOf(store: Store, now: number): number {
  const row = store.db
    .select({ offsetMs: world.clockOffsetMs, frozenAt: world.clockFrozenAt })
    .from(world)
    .get();
  return row?.frozenAt ?? now + (row?.offsetMs ?? 0);
}

/**
 * Adds a partner to a snapshot, unless the snapshot has a partner of that name, which may have another id.
 * @returns the id of the partner of that name
 * @throws conflict if a partner of another name has the id
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
 * Makes a copy of a world or a snapshot the world of that name. The running clock of a snapshot continues from the time
 * of saving.
 * @param now real time, Unix ms
 * @param seriesAfter returns the id series to continue with
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
 * Removes what a fork must not share with its source: everything that belongs to credentials, and pending deliveries.
 * @param createdAt real time, Unix ms
 */
export function detachFork(fork: Store, createdAt: number): void {
  for (const table of [credentials, idempotencyKeys]) fork.db.delete(table).run();
  // The source makes these deliveries.
  fork.db
    .update(deliveries)
    .set({ status: 'failed', nextAttemptAt: null, fault: null })
    .where(eq(deliveries.status, 'pending'))
    .run();
  fork.db.update(world).set({ createdAt }).run();
}

/** @throws conflict for a snapshot that lacks a table or column */
export function assertComplete({ client }: Store, snapshot: string): void {
  const missing = findMissing(client);
  if (missing === undefined) return;
  throw conflict(`snapshot ${snapshot}: it is damaged (${missing}). Delete the snapshot.`);
}
