import { z } from 'zod';
import { endpoint } from '../../../http/endpoint.ts';
import { domainName } from '../../../http/fields.ts';
import { availabilitySchema } from '../../../market/inventory/domain-schema.ts';
import { findOffer, noteRead } from '../../../market/inventory/listings.ts';

export const showAvailability = endpoint({
  name: 'showAvailability',
  group: 'Discovery',
  method: 'GET',
  path: '/api/partner/v1/availability',
  summary: 'Availability yes/no with a price; false, never 404, for an unlisted domain.',
  scopes: ['search'],
  rateClass: 'search',
  query: () => z.object({ domain: domainName() }),
  errors: ['validation_error'],
  status: 200,
  answer: availabilitySchema,
  handle({ tx, owner, query: { domain } }) {
    const listing = findOffer(tx, owner.environment, domain);
    if (!listing) return { domain, available: false, price_cents: null, currency: null };
    noteRead(tx, listing);
    const { priceCents, currency } = listing;
    return { domain, available: true, price_cents: priceCents, currency };
  },
});
