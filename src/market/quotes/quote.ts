import { type Fields, resource } from '../../kernel/resource.ts';
import type { Quote } from './quotes.ts';

/** A quote in the response of POST /quotes. */
export const quote = resource(
  'Quote',
  'A firm price, and the domain reserved for 10 minutes.',
  ({ text, amount, currency, time }: Fields<Quote & { token: string }>) => ({
    quote_id: text()
      .from((row) => row.token)
      .specified(),
    domain: text(),
    price_cents: amount(),
    currency: currency(),
    created_at: time(),
    expires_at: time(),
  }),
);
