import { count, eq, type InferSelectModel, sql } from 'drizzle-orm';
import { notFound } from '../../kernel/errors.ts';
import { type HasDb, param, prepared } from '../../store/prepared.ts';
import {
  type Environment,
  LISTING_STATUSES,
  type ListingStatus,
} from '../../store/schema/enums.ts';
import { listings } from '../../store/schema/inventory.ts';
import { countsOf, matching, select, updater } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { magicOf } from './magic-domains.ts';

export type Listing = InferSelectModel<typeof listings>;

const sameDomain = matching(listings, 'environment', 'domain');
const byDomain = select(listings, { where: [sameDomain] });
/** The columns of a listing that a sale needs. Reading all columns takes twice as long. */
const saleColumns = {
  id: listings.id,
  environment: listings.environment,
  domain: listings.domain,
  priceCents: listings.priceCents,
  floorPriceCents: listings.floorPriceCents,
  currency: listings.currency,
};
const selectForSale = select(listings, {
  columns: saleColumns,
  where: [sameDomain, eq(listings.status, 'listed')],
});
const setStatus = prepared((db) =>
  db
    .update(listings)
    .set({ status: sql`${param('status')}` })
    .where(sameDomain)
    .prepare(),
);
const counts = prepared((db) =>
  db
    .select({ environment: listings.environment, status: listings.status, n: count() })
    .from(listings)
    // By status first: by environment, SQLite would look up each row through the index of domains.
    .groupBy(listings.status, listings.environment)
    .prepare(),
);
const writePrice = updater(listings, 'id', 'priceCents');

/** Returns the listing of a domain, listed or sold. */
export function findListing(
  on: HasDb,
  environment: Environment,
  domain: string,
): Listing | undefined {
  return byDomain(on).get({ environment, domain });
}

export function findListed(tx: Tx, environment: Environment, domain: string): Listing | undefined {
  const listing = findListing(tx, environment, domain);
  return listing?.status === 'listed' ? listing : undefined;
}

/** What a sale needs of a listed domain. */
export type ForSale = Pick<Listing, keyof typeof saleColumns>;

/** As `findListed`, with only the columns of a sale. */
export function findForSale(tx: Tx, environment: Environment, domain: string): ForSale | undefined {
  return selectForSale(tx).get({ environment, domain });
}

/** Counts the listings of each environment by status. */
export function countListings(tx: Tx): Record<Environment, Record<ListingStatus, number>> {
  const rows = counts(tx).all();
  const rowsOf = (environment: Environment) =>
    rows.filter((row) => row.environment === environment);
  return {
    SANDBOX: countsOf(LISTING_STATUSES, rowsOf('SANDBOX')),
    LIVE: countsOf(LISTING_STATUSES, rowsOf('LIVE')),
  };
}

/** @throws not_found if the domain is not listed, or is sold */
export function requireListed(tx: Tx, environment: Environment, domain: string): Listing {
  return findListed(tx, environment, domain) ?? rejectUnlisted(domain);
}

/** As `requireListed`, with only the columns of a sale. */
export function requireForSale(tx: Tx, environment: Environment, domain: string): ForSale {
  return findForSale(tx, environment, domain) ?? rejectUnlisted(domain);
}

function rejectUnlisted(domain: string): never {
  throw notFound(`domain: ${domain} is not listed`);
}

/**
 * Marks a domain as sold, unless it is a magic domain that can be sold repeatedly. To keep a sale fast, the domain stays
 * in the search index until a search finds it.
 */
export function markSold(tx: Tx, environment: Environment, domain: string): void {
  if (magicOf(environment, domain)?.resold) return;
  writeListingStatus(tx, environment, domain, 'sold');
}

/** Used only by `markSold` and by `relist`, which also returns the domain to the search index. */
export function writeListingStatus(
  tx: Tx,
  environment: Environment,
  domain: string,
  status: ListingStatus,
): void {
  setStatus(tx).run({ environment, domain, status });
}

/** Above this, the price of `price-moves.test` starts over, but not below a floor price that an operator has set. */
const MAX_MOVING_PRICE_CENTS = 100_000_000;

/** Raises the price of `price-moves.test` by 1% after each read, and at least by a cent. */
export function raiseMovingPrice(tx: Tx, listing: ForSale): void {
  const magic = magicOf(listing.environment, listing.domain);
  if (magic?.behavior !== 'price_moves') return;
  const raisedPrice = Math.max(listing.priceCents + 1, Math.round(listing.priceCents * 1.01));
  const firstPrice = Math.max(magic.price_cents, listing.floorPriceCents);
  const priceCents = raisedPrice > MAX_MOVING_PRICE_CENTS ? firstPrice : raisedPrice;
  writePrice(tx, { id: listing.id, priceCents });
}
