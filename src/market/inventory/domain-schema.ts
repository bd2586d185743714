import { z } from 'zod';
import { amount, count, currency, page, record } from '../../kernel/answer.ts';
import { ENVIRONMENTS, LISTING_STATUSES } from '../../store/schema/words.ts';

export const domainSchema = record(
  'Domain',
  { says: 'A domain of the inventory with its price and metadata.' },
  () => ({
    domain: z.string(),
    available: z.boolean(),
    price_cents: amount(),
    currency: currency(),
    tld: z.string(),
    length: count(),
    category: z.string(),
    keywords: z.array(z.string()),
    description: z.string(),
  }),
);

export const foundDomainsSchema = record(
  'FoundDomains',
  { says: 'What a search found, best first.' },
  () => ({ domains: z.array(domainSchema()).max(5) }),
);

export const availabilitySchema = record(
  'Availability',
  { says: 'Whether a domain can be bought, and its price if it can.', specified: ['available'] },
  () => ({
    domain: z.string(),
    available: z.boolean(),
    price_cents: amount().nullable(),
    currency: currency().nullable(),
  }),
);

export const pricingSchema = record(
  'Pricing',
  { says: 'Buy-now price and floor price of a listed domain.' },
  () => ({
    domain: z.string(),
    buy_now_price_cents: amount(),
    floor_price_cents: amount(),
    currency: currency(),
  }),
);

export const listingSchema = record(
  'Listing',
  { says: 'A domain of the inventory as its keeper sees it, sold or not.' },
  () => ({
    ...domainSchema().shape,
    floor_price_cents: amount(),
    environment: z.enum(ENVIRONMENTS),
    status: z.enum(LISTING_STATUSES),
  }),
);

export const listingPageSchema = page('ListingPage', 'listings', listingSchema);
