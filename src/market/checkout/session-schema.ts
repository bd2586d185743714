import { z } from 'zod';
import { address, amount, currency, idOf, record, time } from '../../kernel/answer.ts';
import { SESSION_STATUSES } from '../../store/schema/words.ts';

export const sessionSchema = record(
  'CheckoutSession',
  {
    says: 'A hosted checkout; `checkout_url` carries a signed token in its `pt` and is valid for 7 days.',
    specified: ['checkout_url'],
  },
  () => ({
    session_id: idOf('cs'),
    checkout_url: address(),
    domain: z.string(),
    price_cents: amount(),
    currency: currency(),
    expires_at: time(),
  }),
);

export const cancelledSessionSchema = record(
  'CancelledCheckoutSession',
  { says: 'A hosted checkout with its state.' },
  () => ({ ...sessionSchema().shape, status: z.enum(SESSION_STATUSES) }),
);
