import { z } from 'zod';
import { endpoint } from '../../../http/endpoint.ts';
import { domainName } from '../../../http/fields.ts';
import { pricingSchema } from '../../../market/inventory/domain-schema.ts';
import { noteRead, requireOffer } from '../../../market/inventory/listings.ts';

export const showPricing = endpoint({
  name: 'showPricing',
  group: 'Discovery',
  method: 'GET',
  path: '/api/partner/v1/pricing',
  summary: 'Buy-now price and floor price for one domain.',
  scopes: ['search'],
  rateClass: 'search',
  query: () => z.object({ domain: domainName() }),
  errors: ['validation_error', 'not_found'],
  when: { not_found: 'The domain is not listed: it never was, or it is sold.' },
  status: 200,
  answer: pricingSchema,
  handle({ tx, owner, query: { domain } }) {
    const listing = requireOffer(tx, owner.environment, domain);
    noteRead(tx, listing);
    return {
      domain,
      buy_now_price_cents: listing.priceCents,
      floor_price_cents: listing.floorPriceCents,
      currency: listing.currency,
    };
  },
});
