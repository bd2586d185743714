import { and, eq, sql } from 'drizzle-orm';
import { normaliseDomain } from '../../kernel/domain-name.ts';
import { param, prepared } from '../../store/prepared.ts';
import { listings } from '../../store/schema/inventory.ts';
import type { Environment } from '../../store/schema/words.ts';
import type { Tx } from '../../store/transaction.ts';
import { findListed, type Listing } from '../inventory/listings.ts';

/** Specification, "Limits": search result count. */
export const MAX_RESULTS = 5;
/** Words of a query that count; the rest cannot make five results better. */
const MAX_WORDS = 16;

/** Columns of `listing_words`, weighed: a word of the name says most, the category least. */
const best = prepared((db) =>
  db
    .select({ listing: listings })
    .from(sql`listing_words`)
    .innerJoin(listings, sql`${listings.id} = listing_words.rowid`)
    .where(
      and(
        sql`listing_words MATCH ${param('match')}`,
        eq(listings.environment, param('environment')),
        eq(listings.status, 'listed'),
      ),
    )
    .orderBy(sql`bm25(listing_words, 8.0, 3.0, 1.0)`, listings.id)
    .limit(MAX_RESULTS)
    .prepare(),
);

/**
 * Up to five listed domains for a query, best first: the domain that it names, then full-text matches
 * (specification, GET /domains/search).
 * @param query anything; quotes and operators in it are data
 */
export function searchListings(tx: Tx, environment: Environment, query: string): Listing[] {
  const named = normaliseDomain(query);
  const exact = named === undefined ? undefined : findListed(tx, environment, named);
  const match = matchExpression(query);
  const found = match === '' ? [] : best(tx).all({ match, environment });
  const others = found.map(({ listing }) => listing).filter(({ id }) => id !== exact?.id);
  return (exact ? [exact, ...others] : others).slice(0, MAX_RESULTS);
}

/** Each word as a quoted prefix, any of which may match; FTS5 sees no syntax of the user's. */
function matchExpression(query: string): string {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words)]
    .slice(0, MAX_WORDS)
    .map((word) => `"${word.slice(0, 63)}"*`)
    .join(' OR ');
}
