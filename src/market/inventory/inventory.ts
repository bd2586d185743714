import { between, eq, max, sql } from 'drizzle-orm';
import { conflict, notFound, validationError } from '../../kernel/errors.ts';
import { type CountedPage, filterBy, listCounted, type PageRequest } from '../../store/paging.ts';
import type { HasDb } from '../../store/prepared.ts';
import type { Environment, ListingStatus } from '../../store/schema/enums.ts';
import { listings } from '../../store/schema/inventory.ts';
import { inserter, select } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { CURRENCY } from '../defaults.ts';
import { totalsOf } from '../transactions/totals.ts';
import { findListing, type Listing, writeListingStatus } from './listings.ts';
import { dropFromIndex, reindexListing } from './search-index.ts';
import { wordsOfName } from './words-of-name.ts';

/** A listing to add. Optional fields have defaults. */
export interface ListingInput {
  /** As `normalizeDomain` returns it. */
  domain: string;
  /** At least 1. */
  price_cents: number;
  floor_price_cents?: number | undefined;
  category?: string | undefined;
  keywords?: string[] | undefined;
  description?: string | undefined;
  status?: ListingStatus | undefined;
}

type ListingChange = Partial<Omit<ListingInput, 'domain' | 'price_cents'>> & {
  price_cents?: number | undefined;
};

const DEFAULT_FLOOR_SHARE = 0.8;

export const insertListing = inserter(listings);
const lastId = select(listings, { columns: { id: max(listings.id) } });

export function nextListingId(on: HasDb): number {
  return (lastId(on).get()?.id ?? 0) + 1;
}

/** Returns the listing of a domain, listed or sold. @throws not_found */
export function requireListing(tx: Tx, environment: Environment, domain: string): Listing {
  const listing = findListing(tx, environment, domain);
  if (listing) return listing;
  throw notFound(`domain: ${domain} is not in the ${environment} inventory`);
}

/** Adds a listing. @throws conflict if the domain is in the inventory, validation_error */
export function addListing(tx: Tx, environment: Environment, input: ListingInput): Listing {
  const { domain } = input;
  const existing = findListing(tx, environment, domain);
  if (existing) {
    throw conflict(
      `domain: ${domain} is already in the ${environment} inventory, ${existing.status}`,
    );
  }
  const listing = toListing(environment, nextListingId(tx), input);
  assertFloorBelowPrice(listing);
  insertListing(tx, listing);
  reindexListing(tx, environment, listing.id);
  return listing;
}

/** Returns the row of a new listing. "example.co.uk" has a name of 7 characters and the TLD "co.uk". */
export function toListing(environment: Environment, id: number, input: ListingInput): Listing {
  const { domain, price_cents: priceCents, keywords = [] } = input;
  const dot = domain.indexOf('.');
  return {
    id,
    environment,
    domain,
    tld: domain.slice(dot + 1),
    length: dot,
    category: input.category ?? 'Other',
    keywords,
    description: input.description ?? '',
    priceCents,
    floorPriceCents: input.floor_price_cents ?? shareOf(priceCents, DEFAULT_FLOOR_SHARE),
    currency: CURRENCY,
    status: input.status ?? 'listed',
    words: wordsOfName(domain.slice(0, dot), keywords),
  };
}

/**
 * Changes a listing. A new price without a floor price changes the floor price in proportion.
 * @throws not_found, validation_error
 */
export function changeListing(
  tx: Tx,
  environment: Environment,
  domain: string,
  change: ListingChange,
): Listing {
  const before = requireListing(tx, environment, domain);
  const { keywords, price_cents: priceCents = before.priceCents } = change;
  const after: Listing = {
    ...before,
    priceCents,
    floorPriceCents:
      change.floor_price_cents ?? shareOf(priceCents, before.floorPriceCents / before.priceCents),
    category: change.category ?? before.category,
    keywords: keywords ?? before.keywords,
    description: change.description ?? before.description,
    status: change.status ?? before.status,
    words: keywords ? wordsOfName(domain.slice(0, before.length), keywords) : before.words,
  };
  assertFloorBelowPrice(after);
  tx.db.update(listings).set(after).where(eq(listings.id, before.id)).run();
  reindexListing(tx, environment, before.id);
  return after;
}

/** Removes a domain from the inventory, but not its orders. @throws not_found */
export function removeListing(tx: Tx, environment: Environment, domain: string): Listing {
  const listing = requireListing(tx, environment, domain);
  tx.db.delete(listings).where(eq(listings.id, listing.id)).run();
  dropFromIndex(tx, environment, listing.id);
  return listing;
}

/**
 * Relists the sold domain of a refunded or cancelled sale, unless another sale of it is valid. Call it after the new status
 * of the sale is written.
 */
export function relist(tx: Tx, environment: Environment, domain: string): void {
  const listing = findListing(tx, environment, domain);
  if (listing?.status !== 'sold' || totalsOf(tx, { environment, domain }).count > 0) return;
  writeListingStatus(tx, environment, domain, 'listed');
  reindexListing(tx, environment, listing.id);
}

interface InventoryFilter {
  environment: Environment;
  status?: ListingStatus | undefined;
  /** In lower case, without the leading dot. */
  tld?: string | undefined;
  /** In lower case. */
  prefix?: string | undefined;
}

/** Sorts after every character of a host name. */
const AFTER_ALL = '~';

/** Lists the inventory, newest first. @throws validation_error for a cursor of another list */
export function listInventory(
  tx: Tx,
  { environment, status, tld, prefix }: InventoryFilter,
  page: PageRequest,
): CountedPage<Listing> {
  const where = [
    // Without this hint, SQLite reads the index by domain and sorts the whole inventory for each page.
    sql`likely(${eq(listings.environment, environment)})`,
    filterBy(listings.status, status),
    filterBy(listings.tld, tld),
    prefix === undefined ? undefined : between(listings.domain, prefix, prefix + AFTER_ALL),
  ];
  return listCounted(tx, { list: `inventory:${environment}`, table: listings, where }, page);
}

/** Returns a share of a price in whole cents, at least 1. */
function shareOf(priceCents: number, share: number): number {
  return Math.max(1, Math.round(priceCents * share));
}

function assertFloorBelowPrice({ floorPriceCents, priceCents }: Listing): void {
  if (floorPriceCents <= priceCents) return;
  throw validationError('floor_price_cents: must not be more than the price');
}
