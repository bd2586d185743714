import { z } from 'zod';
import { endpoint } from '../../../../http/endpoint.ts';
import { domainName } from '../../../../http/fields.ts';
import { domainSchema } from '../../../../market/inventory/domain-schema.ts';
import { noteRead, requireListed } from '../../../../market/inventory/listings.ts';
import { domainView } from '../../../../market/inventory/views.ts';

export const showDomain = endpoint({
  name: 'showDomain',
  group: 'Discovery',
  method: 'GET',
  path: '/api/partner/v1/domains/:name',
  summary: 'Price, availability and metadata of one domain.',
  scopes: ['search'],
  rateClass: 'search',
  params: () => z.object({ name: domainName() }),
  errors: ['validation_error', 'not_found'],
  when: { not_found: 'The domain is not listed: it never was, or it is sold.' },
  status: 200,
  answer: domainSchema,
  handle({ tx, owner, params }) {
    const listing = requireListed(tx, owner.environment, params.name);
    noteRead(tx, listing);
    return domainView(listing);
  },
});
