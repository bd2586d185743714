import { prepared } from '../../store/prepared.ts';
import type { Environment } from '../../store/schema/words.ts';
import type { Tx } from '../../store/transaction.ts';
import { findListed, type Listing } from '../inventory/listings.ts';
import { findCandidates } from './candidates.ts';
import { conceptsOf, HYBRID, type Methods } from './concepts.ts';
import { readQuery } from './query.ts';
import { type Candidate, rank } from './rank.ts';

/** Specification, "Limits": search result count. */
export const MAX_RESULTS = 5;

const rowsOf = prepared((db) =>
  db.$client.prepare<[string], Candidate>(
    `SELECT id, domain, tld, length, category, keywords, price_cents, words FROM listings
     WHERE id IN (SELECT value FROM json_each(?))`,
  ),
);

/**
 * Up to five listed domains for a query, best first, found by their words and by what these mean
 * (specification, GET /domains/search).
 * @param text anything; quotes and operators in it are data
 * @param methods what to look at; all but an evaluation look at everything
 */
export function searchListings(
  tx: Tx,
  environment: Environment,
  text: string,
  methods: Methods = HYBRID,
): Listing[] {
  const query = readQuery(text);
  const concepts = conceptsOf(query.words, methods);
  const ids = findCandidates(tx, environment, query, concepts, methods);
  const named =
    query.domain && methods.keyword ? findListed(tx, environment, query.domain) : undefined;
  if (named && !ids.includes(named.id)) ids.push(named.id);
  return rank(rowsOf(tx).all(JSON.stringify(ids)), query, concepts)
    .slice(0, MAX_RESULTS)
    .flatMap(({ domain }) => findListed(tx, environment, domain) ?? []);
}
