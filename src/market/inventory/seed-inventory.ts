import type { Store } from '../../store/open.ts';
import { listings } from '../../store/schema/inventory.ts';
import { inserter } from '../../store/table.ts';
import { CURRENCY } from '../defaults.ts';
import { type GeneratedListing, generateListings } from './generate-listings.ts';
import { MAGIC_CATEGORY, MAGIC_DOMAINS, type MagicDomain } from './magic-domains.ts';
import { indexMany, optimizeIndex } from './search-index.ts';

const insert = inserter(listings);

/** Adds the SANDBOX inventory to an empty world: the magic domains, then `count` synthetic domains. */
export function seedInventory(store: Store, seed: string, count: number): void {
  let id = 0;
  const add = ({ price_cents, floor_price_cents, ...listing }: GeneratedListing) => {
    id += 1;
    insert(store, {
      ...listing,
      id,
      environment: 'SANDBOX',
      priceCents: price_cents,
      floorPriceCents: floor_price_cents,
      currency: CURRENCY,
      status: 'listed',
    });
  };
  for (const magic of MAGIC_DOMAINS) if (magic.listed) add(magicListing(magic));
  for (const listing of generateListings(seed, count)) add(listing);
  indexMany(store, 'SANDBOX', ['true']);
  optimizeIndex(store, 'SANDBOX');
}

function magicListing({ domain, price_cents, description }: MagicDomain): GeneratedListing {
  const name = domain.slice(0, domain.indexOf('.'));
  const words = name.replaceAll('-', ' ');
  return {
    domain,
    tld: 'test',
    length: name.length,
    category: MAGIC_CATEGORY,
    keywords: ['magic', ...words.split(' ')],
    description: `Magic test domain: ${description}.`,
    words,
    price_cents,
    floor_price_cents: Math.round(price_cents * 0.8),
  };
}
