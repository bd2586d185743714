import { eq, ne } from 'drizzle-orm';
import type { Environment } from '../../store/schema/enums.ts';
import { listings } from '../../store/schema/inventory.ts';
import { matching, select } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import type { Listing } from '../inventory/listings.ts';
import { MAGIC_CATEGORY } from '../inventory/magic-domains.ts';
import { searchListings } from '../search/search.ts';

const SHOWN = 6;

const first = select(listings, {
  where: [
    matching(listings, 'environment'),
    eq(listings.status, 'listed'),
    ne(listings.category, MAGIC_CATEGORY),
  ],
  // By name, in the order of an index: by id, SQLite would have to sort all of them.
  orderBy: [listings.domain],
  limit: SHOWN,
});

/**
 * Returns up to six domains for a landing page, the same ones until one is sold; no magic domains.
 * @param topic search text for the first ones
 */
export function showcase(tx: Tx, environment: Environment, topic = ''): Listing[] {
  const found = topic === '' ? [] : searchListings(tx, environment, topic);
  const taken = new Set(found.map(({ id }) => id));
  const others = first(tx)
    .all({ environment })
    .filter(({ id }) => !taken.has(id));
  return [...found, ...others].slice(0, SHOWN);
}
