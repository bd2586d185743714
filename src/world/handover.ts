import { eq } from 'drizzle-orm';
import type { Store } from '../store/open.ts';
import { deliveries } from '../store/schema/events.ts';
import {
  credentials,
  idempotencyKeys,
  nonces,
  partners,
  rateWindows,
} from '../store/schema/partners.ts';
import { counters, world } from '../store/schema/world.ts';

/** Ids that must not be given out twice once the rows that carry them are kept. */
function countsPartnersOrSecrets(name: string): boolean {
  return name === 'ptr' || name.startsWith('secret:');
}

/**
 * What a reset keeps: who may enter, and which of their requests were used up, since nonces run on the real
 * clock. Read from the old database, written into the new.
 */
export function takeCredentialsAlong(old: Store): (fresh: Store) => void {
  const keptPartners = old.db.select().from(partners).all();
  const keptCredentials = old.db.select().from(credentials).all();
  const keptNonces = old.db.select().from(nonces).all();
  const keptCounters = old.db
    .select()
    .from(counters)
    .all()
    .filter((counter) => countsPartnersOrSecrets(counter.name));
  return (fresh) => {
    // Row by row: one statement holds only so many values.
    for (const row of keptPartners) fresh.db.insert(partners).values(row).run();
    for (const row of keptCredentials) fresh.db.insert(credentials).values(row).run();
    for (const row of keptNonces) fresh.db.insert(nonces).values(row).run();
    for (const row of keptCounters) fresh.db.insert(counters).values(row).run();
  };
}

/**
 * Makes a copy a world of its own. A key enters one world only, so all that belongs to keys is dropped;
 * and no event is delivered twice.
 * @param createdAt real time, Unix ms
 */
export function makeOwn(fork: Store, name: string, createdAt: number): void {
  for (const table of [credentials, nonces, rateWindows, idempotencyKeys]) {
    fork.db.delete(table).run();
  }
  // What the source still owes it delivers itself.
  fork.db
    .update(deliveries)
    .set({ status: 'failed', nextAttemptAt: null })
    .where(eq(deliveries.status, 'pending'))
    .run();
  fork.db.update(world).set({ name, createdAt }).where(eq(world.id, 1)).run();
}
