import type { Store } from '../../store/open.ts';
import { CURRENCY } from '../defaults.ts';
import { generateListings } from './generate-listings.ts';
import { insertListing, toListing } from './inventory.ts';
import { MAGIC_CATEGORY, MAGIC_DOMAINS } from './magic-domains.ts';
import { indexMany, optimizeIndex } from './search-index.ts';

const ENVIRONMENT = 'SANDBOX';

/** Adds the SANDBOX inventory to an empty world: the magic domains, then `count` synthetic domains. */
export function seedInventory(store: Store, seed: string, count: number): void {
  let id = 0;
  for (const { domain, price_cents, description, listed } of MAGIC_DOMAINS) {
    if (!listed) continue;
    id += 1;
    const listing = {
      domain,
      price_cents,
      category: MAGIC_CATEGORY,
      keywords: ['magic', ...domain.slice(0, domain.indexOf('.')).split('-')],
      description: `Magic test domain: ${description}.`,
    };
    insertListing(store, toListing(ENVIRONMENT, id, listing));
  }
  for (const listing of generateListings(seed, count)) {
    id += 1;
    const row = { ...listing, id, environment: ENVIRONMENT, currency: CURRENCY } as const;
    insertListing(store, { ...row, status: 'listed' });
  }
  indexMany(store, ENVIRONMENT);
  optimizeIndex(store, ENVIRONMENT);
}
