import { eq, ne } from 'drizzle-orm';
import { prepared } from '../../store/prepared.ts';
import type { Environment, ListingStatus } from '../../store/schema/enums.ts';
import { listings } from '../../store/schema/inventory.ts';
import { matching, select } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { findListed, type Listing } from '../inventory/listings.ts';
import { MAGIC_CATEGORY } from '../inventory/magic-domains.ts';
import { dropFromIndex } from '../inventory/search-index.ts';
import { findCandidateIds } from './candidates.ts';
import { type Concept, conceptsOf } from './concepts.ts';
import { type Query, readQuery } from './query.ts';
import { type Candidate, rank } from './rank.ts';

/** Specification, "Limits": results of a search. */
const MAX_RESULTS = 5;
/** How often a search repeats because it found sold domains in the index. */
const MAX_PASSES = 20;

const selectRows = prepared((db) =>
  db.$client.prepare<[string], Candidate & { status: ListingStatus }>(
    `SELECT id, domain, tld, length, category, keywords, words, status FROM listings
     WHERE id IN (SELECT value FROM json_each(?))`,
  ),
);

/**
 * Returns up to five listed domains for a query, best first, by the spelling and the meaning of words
 * (specification, GET /domains/search). Writes: sold domains that it finds leave the index.
 * @param text any text; quotes and operators are data
 */
export function searchListings(tx: Tx, environment: Environment, text: string): Listing[] {
  const query = readQuery(text);
  const concepts = conceptsOf(query.words);
  return rank(findListedCandidates(tx, environment, query, concepts), query, concepts)
    .slice(0, MAX_RESULTS)
    .flatMap(({ domain }) => findListed(tx, environment, domain) ?? []);
}

/**
 * Finds candidates, and listed domains that the query spells: `brew pilot .com`. Removes sold domains from the index, so
 * that they do not use up the limit of a lookup.
 */
function findListedCandidates(
  tx: Tx,
  environment: Environment,
  query: Query,
  concepts: readonly Concept[],
): Candidate[] {
  const names = query.tlds.map((tld) => `${query.label}.${tld}`).concat(query.domains);
  const exactMatches = names.flatMap((name) => findListed(tx, environment, name)?.id ?? []);
  for (let pass = 1; ; pass++) {
    const ids = findCandidateIds(tx, environment, query, concepts).concat(exactMatches);
    const rows = selectRows(tx).all(JSON.stringify(ids));
    const soldRows = rows.filter(({ status }) => status !== 'listed');
    for (const { id } of soldRows) dropFromIndex(tx, environment, id);
    if (soldRows.length === 0) return rows;
    if (pass === MAX_PASSES) return rows.filter(({ status }) => status === 'listed');
  }
}

const SHOWCASE_SIZE = 6;

const firstListings = select(listings, {
  where: [
    matching(listings, 'environment'),
    eq(listings.status, 'listed'),
    ne(listings.category, MAGIC_CATEGORY),
  ],
  // By name, in the order of an index; by id, SQLite would have to sort all of them.
  orderBy: [listings.domain],
  limit: SHOWCASE_SIZE,
});

/**
 * Returns up to six domains for a landing page: those that the topic finds, then the first by name that are not magic.
 * Writes, as a search does.
 * @param topic search text; empty for none
 */
export function showcase(tx: Tx, environment: Environment, topic: string): Listing[] {
  const matches = topic === '' ? [] : searchListings(tx, environment, topic);
  const ids = new Set(matches.map(({ id }) => id));
  const more = firstListings(tx)
    .all({ environment })
    .filter(({ id }) => !ids.has(id));
  return [...matches, ...more].slice(0, SHOWCASE_SIZE);
}
