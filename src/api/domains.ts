import { z } from 'zod';
import { get } from '../http/endpoint.ts';
import { domainName, requiredText } from '../http/fields.ts';
import { availability, domain, foundDomains, pricing } from '../market/inventory/listing.ts';
import {
  findForSale,
  raiseMovingPrice,
  requireForSale,
  requireListed,
} from '../market/inventory/listings.ts';
import { searchListings } from '../market/search/search.ts';

/** The cause of `not_found` for the name of a domain. */
export const UNLISTED = 'The domain is not listed: it never was, or it is sold.';

export const searchDomains = get('/api/partner/v1/domains/search', {
  group: 'Discovery',
  summary: 'Up to 5 relevant domains, best first.',
  scopes: ['search'],
  rateClass: 'search',
  query: () =>
    z.object({
      q: requiredText().describe(
        'What to look for: keywords, a meaning, or endings such as `.com`.',
      ),
    }),
  choiceNote:
    'An empty or blank `q` is a `validation_error`; no match is an empty list. No scores are shown.',
  response: foundDomains,
  handle({ tx, owner, query }) {
    const domains = searchListings(tx, owner.environment, query.q);
    for (const listing of domains) raiseMovingPrice(tx, listing);
    return { domains };
  },
});

export const showDomain = get('/api/partner/v1/domains/:name', {
  group: 'Discovery',
  summary: 'Price, availability and metadata of one domain.',
  scopes: ['search'],
  rateClass: 'search',
  params: () => z.object({ name: domainName() }),
  errors: { not_found: UNLISTED },
  response: domain,
  handle({ tx, owner, params }) {
    const listing = requireListed(tx, owner.environment, params.name);
    raiseMovingPrice(tx, listing);
    return listing;
  },
});

export const showAvailability = get('/api/partner/v1/availability', {
  group: 'Discovery',
  summary: 'Availability yes/no with a price; false, never 404, for an unlisted domain.',
  scopes: ['search'],
  rateClass: 'search',
  query: () => z.object({ domain: domainName() }),
  response: availability,
  handle({ tx, owner, query: { domain } }) {
    const forSale = findForSale(tx, owner.environment, domain);
    if (forSale) raiseMovingPrice(tx, forSale);
    return { domain, forSale };
  },
});

export const showPricing = get('/api/partner/v1/pricing', {
  group: 'Discovery',
  summary: 'Buy-now price and floor price for one domain.',
  scopes: ['search'],
  rateClass: 'search',
  query: () => z.object({ domain: domainName() }),
  errors: { not_found: UNLISTED },
  response: pricing,
  handle({ tx, owner, query: { domain } }) {
    const listing = requireForSale(tx, owner.environment, domain);
    raiseMovingPrice(tx, listing);
    return listing;
  },
});
