import { countedPage, type Fields, resource } from '../../kernel/resource.ts';
import { ENVIRONMENTS, LISTING_STATUSES } from '../../store/schema/enums.ts';
import type { ForSale, Listing } from './listings.ts';

export const domain = resource(
  'Domain',
  'A domain of the inventory with its price and metadata.',
  ({ text, flag, amount, currency, count, listOfText }: Fields<Listing>) => ({
    domain: text(),
    available: flag().from((row) => row.status === 'listed'),
    price_cents: amount(),
    currency: currency(),
    tld: text(),
    length: count(),
    category: text(),
    keywords: listOfText(),
    description: text(),
  }),
);

export const foundDomains = resource(
  'FoundDomains',
  'Search results, best first.',
  ({ list }: Fields<{ domains: Listing[] }>) => ({ domains: list(domain) }),
);

export const availability = resource(
  'Availability',
  'Whether a domain can be bought, and its price if it can.',
  ({ text, flag, amount, currency }: Fields<{ domain: string; forSale: ForSale | undefined }>) => ({
    domain: text(),
    available: flag()
      .from(({ forSale }) => forSale !== undefined)
      .specified(),
    price_cents: amount()
      .nullable()
      .from(({ forSale }) => forSale?.priceCents ?? null),
    currency: currency()
      .nullable()
      .from(({ forSale }) => forSale?.currency ?? null),
  }),
);

export const pricing = resource(
  'Pricing',
  'Buy-now price and floor price of a listed domain.',
  ({ text, amount, currency }: Fields<ForSale>) => ({
    domain: text(),
    buy_now_price_cents: amount().from((row) => row.priceCents),
    floor_price_cents: amount(),
    currency: currency(),
  }),
);

/** A listing in the control API: a domain with the fields that partners do not see. */
export const listing = domain
  .extend(
    'Listing',
    'A domain of the inventory, listed or sold, with its floor price.',
    ({ amount, oneOf }: Fields<Listing>) => ({
      floor_price_cents: amount(),
      environment: oneOf(ENVIRONMENTS),
      status: oneOf(LISTING_STATUSES).tone((value) => (value === 'listed' ? 'success' : 'neutral')),
    }),
  )
  .display(
    {
      domain: 'Domain',
      price_cents: 'Price',
      floor_price_cents: 'Floor',
      status: 'Status',
      category: 'Category',
      environment: 'Environment',
      keywords: 'Keywords',
      description: 'Description',
    },
    ['domain', 'price_cents', 'floor_price_cents', 'status', 'category'],
  );
export const listingPage = countedPage(listing, 'ListingPage', 'listings');
