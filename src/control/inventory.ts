import { z } from 'zod';
import { domainName, pageQuery, text } from '../http/fields.ts';
import { validationError } from '../kernel/errors.ts';
import {
  addListing,
  changeListing,
  listInventory,
  removeListing,
  requireListing,
} from '../market/inventory/inventory.ts';
import { listing, listingPage } from '../market/inventory/listing.ts';
import { LISTING_STATUSES } from '../store/schema/enums.ts';
import { del, get, named, patch, post } from './endpoint.ts';
import { inEnvironment, listingChange, newListing } from './listing-fields.ts';

const domain = z.object({ domain: domainName() });

export const inventoryEndpoints = named({
  getInventory: get('/inventory', {
    summary: 'List the inventory, newest first.',
    query: () =>
      inEnvironment.extend({
        status: z.enum(LISTING_STATUSES).optional().describe('Only listings in this state.'),
        tld: text().optional().describe('Only names under this top-level domain.'),
        q: text().optional().describe('Only names that begin with this text.'),
        ...pageQuery(),
      }),
    response: listingPage,
    read: ({ tx, query: { environment, status, tld, q, ...page } }) => {
      const filter = {
        environment,
        status,
        tld: tld?.trim().toLowerCase().replace(/^\./, ''),
        prefix: q?.trim().toLowerCase(),
      };
      return listInventory(tx, filter, page);
    },
  }),

  postListing: post('/inventory', {
    summary: 'Put a domain up for sale.',
    description: '409 `conflict` if the domain is listed in this environment already.',
    body: () => newListing,
    status: 201,
    response: listing,
    write: ({ tx, body: { environment, ...input } }) => addListing(tx, environment, input),
  }),

  getListing: get('/inventory/:domain', {
    summary: 'Show a domain, for sale or sold.',
    params: () => domain,
    query: () => inEnvironment,
    response: listing,
    read: ({ tx, params, query }) => requireListing(tx, query.environment, params.domain),
  }),

  patchListing: patch('/inventory/:domain', {
    summary: 'Change price, floor price, category, keywords, description or status of a listing.',
    description:
      'A new price changes the floor price in proportion; other fields that are left out stay. Existing quotes keep their price.',
    params: () => domain,
    query: () => inEnvironment,
    body: () => listingChange,
    response: listing,
    write({ tx, params, query, body }) {
      if (Object.keys(body).length === 0) {
        const fields = Object.keys(listingChange.shape).join(', ');
        throw validationError(`body: pass at least one of ${fields}`);
      }
      return changeListing(tx, query.environment, params.domain, body);
    },
  }),

  deleteListing: del('/inventory/:domain', {
    summary: 'Remove a domain from the inventory. Its orders stay.',
    params: () => domain,
    query: () => inEnvironment,
    response: listing,
    write: ({ tx, params, query }) => removeListing(tx, query.environment, params.domain),
  }),
});
