import type { ListingStatus } from '../../store/schema/enums.ts';
import type { Listing } from './listings.ts';
import { wordsOfName } from './words-of-name.ts';

/** A listing as its keeper asks for it; what is left out is made up here. */
export interface ListingInput {
  /** Normalized. */
  domain: string;
  price_cents: number;
  floor_price_cents?: number | undefined;
  category?: string | undefined;
  keywords?: string[] | undefined;
  description?: string | undefined;
  status?: ListingStatus | undefined;
}

/** Where a listing belongs when nobody says. */
export const DEFAULT_CATEGORY = 'Other';
/** What the owner takes at least when nobody says, as a share of the price. */
export const DEFAULT_FLOOR_SHARE = 0.8;

/** The columns of a listing that is new. */
export function listingOf(input: ListingInput): Omit<Listing, 'id' | 'environment' | 'currency'> {
  const { length, tld } = partsOf(input.domain);
  return {
    length,
    tld,
    domain: input.domain,
    category: input.category ?? DEFAULT_CATEGORY,
    keywords: input.keywords ?? [],
    description: input.description ?? '',
    priceCents: input.price_cents,
    floorPriceCents: input.floor_price_cents ?? defaultFloor(input.price_cents),
    status: input.status ?? 'listed',
    words: wordsOfName(input.domain.slice(0, length), input.keywords),
  };
}

function defaultFloor(priceCents: number): number {
  return Math.max(1, Math.round(priceCents * DEFAULT_FLOOR_SHARE));
}

/** The name, which is what stands before the first dot, and the rest: "co.uk" of "example.co.uk". */
export function partsOf(domain: string): { length: number; tld: string } {
  const length = domain.indexOf('.');
  return { length, tld: domain.slice(length + 1) };
}
