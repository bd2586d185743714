import { z } from 'zod';
import { post } from '../http/endpoint.ts';
import { domainName } from '../http/fields.ts';
import { createQuote, quote, quoteToken } from '../market/quotes.ts';

export const postQuote = post('/api/partner/v1/quotes', {
  group: 'Partner-collected sales',
  summary: 'Firm price, 10-minute reservation, signed quote_id.',
  scopes: ['buy'],
  rateClass: 'write',
  body: () => z.object({ domain: domainName() }),
  choiceInputs: ['domain'],
  choice:
    'A live quote reserves the domain for its partner; another partner that quotes or orders it meets a `conflict`. The same partner may quote it again.',
  errors: {
    not_found: 'The domain is not listed: it never was, or it is sold.',
    conflict: 'The domain is reserved by a live quote of another partner.',
  },
  status: 201,
  response: quote,
  handle({ tx, owner, body }) {
    const quoted = createQuote(tx, owner, body.domain);
    return { ...quoted, token: quoteToken(tx, quoted) };
  },
});
