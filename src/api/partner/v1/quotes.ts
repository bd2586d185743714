import { z } from 'zod';
import { endpoint } from '../../../http/endpoint.ts';
import { domainName } from '../../../http/fields.ts';
import { createQuote, quoteView } from '../../../market/quotes/quotes.ts';

export const postQuote = endpoint({
  method: 'POST',
  path: '/api/partner/v1/quotes',
  summary: 'Firm price, 10-minute reservation, signed quote_id.',
  scopes: ['buy'],
  rateClass: 'write',
  body: z.object({ domain: domainName() }),
  errors: ['validation_error', 'not_found', 'conflict'],
  status: 201,
  handle({ tx, owner, body }) {
    return quoteView(tx, createQuote(tx, owner, body.domain));
  },
});
