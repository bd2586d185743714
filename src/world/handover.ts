import { eq } from 'drizzle-orm';
import type { Store } from '../store/open.ts';
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

/** What a reset keeps: who may enter. Read from the old database, written into the new. */
export function takeCredentialsAlong(old: Store): (fresh: Store) => void {
  const keptPartners = old.db.select().from(partners).all();
  const keptCredentials = old.db.select().from(credentials).all();
  const keptCounters = old.db
    .select()
    .from(counters)
    .all()
    .filter((counter) => countsPartnersOrSecrets(counter.name));
  return (fresh) => {
    if (keptPartners.length > 0) fresh.db.insert(partners).values(keptPartners).run();
    if (keptCredentials.length > 0) fresh.db.insert(credentials).values(keptCredentials).run();
    if (keptCounters.length > 0) fresh.db.insert(counters).values(keptCounters).run();
  };
}

/**
 * Makes a copy a world of its own. A key enters one world only, so all that belongs to keys is dropped.
 * @param createdAt real time, Unix ms
 */
export function makeOwn(fork: Store, name: string, createdAt: number): void {
  fork.client.transaction(() => {
    for (const table of [credentials, nonces, rateWindows, idempotencyKeys]) {
      fork.db.delete(table).run();
    }
    fork.db.update(world).set({ name, createdAt }).where(eq(world.id, 1)).run();
  })();
}
