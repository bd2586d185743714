import { z } from 'zod';
import { amount, currency, record, time } from '../../kernel/answer.ts';

export const quoteSchema = record(
  'Quote',
  { says: 'A firm price, and the domain reserved for 10 minutes.', specified: ['quote_id'] },
  () => ({
    quote_id: z.string(),
    domain: z.string(),
    price_cents: amount(),
    currency: currency(),
    created_at: time(),
    expires_at: time(),
  }),
);
