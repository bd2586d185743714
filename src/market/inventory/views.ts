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
