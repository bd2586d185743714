import { and, eq, ne } from 'drizzle-orm';
import { param, prepared } from '../../store/prepared.ts';
import type { Environment } from '../../store/schema/enums.ts';
import { listings } from '../../store/schema/inventory.ts';
import type { Tx } from '../../store/transaction.ts';
import type { Listing } from '../inventory/listings.ts';
import { MAGIC_CATEGORY } from '../inventory/magic-domains.ts';
import { searchListings } from '../search/search.ts';

/** A handful: as many as a page shows without being a catalogue. */
const SHOWN = 6;

/** Magic domains are for who asks for them by name. */
const first = prepared((db) =>
  db
    .select()
    .from(listings)
    .where(
      and(
        eq(listings.environment, param('environment')),
        eq(listings.status, 'listed'),
        ne(listings.category, MAGIC_CATEGORY),
      ),
    )
    // By name, as an index has them: the order in which they were listed would have all of them sorted.
    .orderBy(listings.domain)
    .limit(SHOWN)
    .prepare(),
);

/**
 * Domains for the front of a partner's shop, at most six, the same ones until one is sold.
 * @param topic what to look for first; the rest is filled up
 */
export function showcase(tx: Tx, environment: Environment, topic = ''): Listing[] {
  const apt = topic === '' ? [] : searchListings(tx, environment, topic);
  const taken = new Set(apt.map(({ id }) => id));
  const others = first(tx)
    .all({ environment })
    .filter(({ id }) => !taken.has(id));
  return [...apt, ...others].slice(0, SHOWN);
}
