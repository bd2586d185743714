import { and, eq, type InferSelectModel, sql } from 'drizzle-orm';
import { notFound } from '../../kernel/errors.ts';
import { param, prepared } from '../../store/prepared.ts';
import type { Environment, ListingStatus } from '../../store/schema/enums.ts';
import { listings } from '../../store/schema/inventory.ts';
import type { Tx } from '../../store/transaction.ts';
import { hasBehavior, magicOf } from './magic-domains.ts';
import { indexListing, priceBand } from './search-index.ts';

export type Listing = InferSelectModel<typeof listings>;

/** A listing as far as selling it goes. */
export type Offer = Pick<
  Listing,
  'id' | 'environment' | 'domain' | 'priceCents' | 'floorPriceCents' | 'currency' | 'status'
>;

const named = and(
  eq(listings.environment, param('environment')),
  eq(listings.domain, param('domain')),
);
const byDomain = prepared((db) => db.select().from(listings).where(named).prepare());
/** What a price needs: a wide row costs twice as much to read. */
const offerByDomain = prepared((db) =>
  db
    .select({
      id: listings.id,
      priceCents: listings.priceCents,
      floorPriceCents: listings.floorPriceCents,
      currency: listings.currency,
      status: listings.status,
    })
    .from(listings)
    .where(named)
    .prepare(),
);
const setStatus = prepared((db) =>
  db
    .update(listings)
    .set({ status: sql`${param('status')}` })
    .where(named)
    .prepare(),
);
const setPrice = prepared((db) =>
  db
    .update(listings)
    .set({ priceCents: sql`${param('priceCents')}` })
    .where(eq(listings.id, param('id')))
    .prepare(),
);

/** A listing, whether or not it can be bought. */
export function findListing(tx: Tx, environment: Environment, domain: string): Listing | undefined {
  return byDomain(tx).get({ environment, domain });
}

/** A listing that can be bought now. */
export function findListed(tx: Tx, environment: Environment, domain: string): Listing | undefined {
  const listing = findListing(tx, environment, domain);
  return listing?.status === 'listed' ? listing : undefined;
}

/** @throws not_found when the domain was never listed, or is sold */
export function requireListed(tx: Tx, environment: Environment, domain: string): Listing {
  return findListed(tx, environment, domain) ?? notListed(domain);
}

/** What a domain that can be bought now costs. */
export function findOffer(tx: Tx, environment: Environment, domain: string): Offer | undefined {
  const row = offerByDomain(tx).get({ environment, domain });
  return row?.status === 'listed' ? { ...row, environment, domain } : undefined;
}

/** @throws not_found when the domain was never listed, or is sold */
export function requireOffer(tx: Tx, environment: Environment, domain: string): Offer {
  return findOffer(tx, environment, domain) ?? notListed(domain);
}

function notListed(domain: string): never {
  throw notFound(`domain: ${domain} is not listed`);
}

/**
 * Takes a domain off the market; magic domains that can be sold over and over stay. It stays in the search index
 * until a search meets it there, for a sale has no time for that.
 */
export function markSold(tx: Tx, environment: Environment, domain: string): void {
  if (magicOf(environment, domain)?.resold) return;
  writeListingStatus(tx, environment, domain, 'sold');
}

/** Only `markSold` and `relist` call this: a listing comes back with its place in the search index. */
export function writeListingStatus(
  tx: Tx,
  environment: Environment,
  domain: string,
  status: ListingStatus,
): void {
  setStatus(tx).run({ environment, domain, status });
}

/** The price of `price-moves.test` starts over here, so that it stays a price however often it is read. */
const HIGHEST_MOVING_PRICE_CENTS = 100_000_000;

/** What reading a listing does to it: nothing, but for the domain whose price moves by 1% each time. */
export function noteRead(tx: Tx, listing: Offer): void {
  if (!hasBehavior(listing.environment, listing.domain, 'price_moves')) return;
  const risen = Math.round(listing.priceCents * 1.01);
  const start = magicOf(listing.environment, listing.domain)?.price_cents ?? risen;
  const priceCents = risen > HIGHEST_MOVING_PRICE_CENTS ? start : risen;
  setPrice(tx).run({ id: listing.id, priceCents });
  if (priceBand(priceCents) !== priceBand(listing.priceCents)) {
    indexListing(tx, listing.environment, listing.id);
  }
}
