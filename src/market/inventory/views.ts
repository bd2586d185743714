import type { Listing } from './listings.ts';

/** A Domain of the discovery endpoints (decisions, "Discovery"). */
export interface DomainView {
  domain: string;
  available: boolean;
  price_cents: number;
  currency: string;
  tld: string;
  length: number;
  category: string;
  keywords: string[];
  description: string;
}

export function domainView(listing: Listing): DomainView {
  return {
    domain: listing.domain,
    available: listing.status === 'listed',
    price_cents: listing.priceCents,
    currency: listing.currency,
    tld: listing.tld,
    length: listing.length,
    category: listing.category,
    keywords: listing.keywords,
    description: listing.description,
  };
}

/** A listing as its keeper sees it: a Domain, and what partners are not told. */
export function inventoryView(listing: Listing) {
  return {
    ...domainView(listing),
    floor_price_cents: listing.floorPriceCents,
    environment: listing.environment,
    status: listing.status,
  };
}
