import { z } from 'zod';
import { endpoint } from '../../../../http/endpoint.ts';
import { requiredText } from '../../../../http/fields.ts';
import { foundDomainsSchema } from '../../../../market/inventory/domain-schema.ts';
import { noteRead } from '../../../../market/inventory/listings.ts';
import { domainView } from '../../../../market/inventory/views.ts';
import { searchListings } from '../../../../market/search/search.ts';

export const searchDomains = endpoint({
  name: 'searchDomains',
  group: 'Discovery',
  method: 'GET',
  path: '/api/partner/v1/domains/search',
  summary: 'Up to 5 relevant domains, best first.',
  scopes: ['search'],
  rateClass: 'search',
  query: () => z.object({ q: requiredText() }),
  choice:
    'An empty or blank `q` is a `validation_error`; no match is an empty list. No scores are shown.',
  errors: ['validation_error'],
  status: 200,
  answer: foundDomainsSchema,
  handle({ tx, owner, query }) {
    const found = searchListings(tx, owner.environment, query.q);
    for (const listing of found) noteRead(tx, listing);
    return { domains: found.map(domainView) };
  },
});
