import { eq, max } from 'drizzle-orm';
import { conflict, notFound, validationError } from '../../kernel/errors.ts';
import { inserter, prepared } from '../../store/prepared.ts';
import type { Environment } from '../../store/schema/enums.ts';
import { listings } from '../../store/schema/inventory.ts';
import type { Tx } from '../../store/transaction.ts';
import { CURRENCY } from '../currency.ts';
import { type ListingInput, listingOf } from './listing-input.ts';
import { findListing, type Listing } from './listings.ts';
import { dropFromIndex, indexListing } from './search-index.ts';
import { wordsOfName } from './words-of-name.ts';

export type ListingChange = Omit<ListingInput, 'domain' | 'price_cents'> & {
  price_cents?: number | undefined;
};

const insertListing = inserter(listings);
const lastId = prepared((db) =>
  db
    .select({ id: max(listings.id) })
    .from(listings)
    .prepare(),
);

/** The listing of a domain, sold ones included. @throws not_found */
export function requireListing(tx: Tx, environment: Environment, domain: string): Listing {
  const listing = findListing(tx, environment, domain);
  if (listing) return listing;
  throw notFound(`domain: ${domain} is not in the ${environment} inventory`);
}

/** Puts a domain up for sale. @throws conflict when it is in the inventory already, validation_error */
export function addListing(tx: Tx, environment: Environment, input: ListingInput): Listing {
  const known = findListing(tx, environment, input.domain);
  if (known) {
    throw conflict(
      `domain: ${input.domain} is in the ${environment} inventory already, ${known.status}`,
    );
  }
  const listing = {
    ...listingOf(input),
    id: highestListingId(tx) + 1,
    environment,
    currency: CURRENCY,
  };
  assertFloorBelowPrice(listing);
  insertListing(tx, listing);
  indexListing(tx, environment, listing.id);
  return listing;
}

/**
 * Changes what is said of a listing. A price that changes alone takes the floor along in proportion.
 * @throws not_found, validation_error
 */
export function changeListing(
  tx: Tx,
  environment: Environment,
  domain: string,
  change: ListingChange,
): Listing {
  const before = requireListing(tx, environment, domain);
  const priceCents = change.price_cents ?? before.priceCents;
  const share = before.floorPriceCents / before.priceCents;
  const after: Listing = {
    ...before,
    priceCents,
    floorPriceCents: change.floor_price_cents ?? Math.max(1, Math.round(priceCents * share)),
    category: change.category ?? before.category,
    keywords: change.keywords ?? before.keywords,
    description: change.description ?? before.description,
    status: change.status ?? before.status,
    words: change.keywords
      ? wordsOfName(domain.slice(0, before.length), change.keywords)
      : before.words,
  };
  assertFloorBelowPrice(after);
  tx.db.update(listings).set(after).where(eq(listings.id, before.id)).run();
  indexListing(tx, environment, before.id);
  return after;
}

/** Takes a domain out of the inventory; orders about it stay. @throws not_found */
export function removeListing(tx: Tx, environment: Environment, domain: string): Listing {
  const listing = requireListing(tx, environment, domain);
  tx.db.delete(listings).where(eq(listings.id, listing.id)).run();
  dropFromIndex(tx, environment, listing.id);
  return listing;
}

/** The highest id that a listing has; 0 for an empty inventory. */
export function highestListingId(tx: Tx): number {
  return lastId(tx).get()?.id ?? 0;
}

function assertFloorBelowPrice({ floorPriceCents, priceCents }: Listing): void {
  if (floorPriceCents <= priceCents) return;
  throw validationError(
    `floor_price_cents: ${floorPriceCents} is more than the price, ${priceCents}`,
  );
}
