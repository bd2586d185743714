import { z } from 'zod';
import { amount, currency, idOf, nextCursor, page, record, time } from '../../kernel/answer.ts';

export const payoutSchema = record(
  'Payout',
  { says: 'Commission that was paid to the partner.' },
  () => ({
    payout_id: idOf('pay'),
    amount_cents: amount(),
    currency: currency(),
    status: z.literal('PAID'),
    created_at: time(),
  }),
);

export const payoutPageSchema = page('PayoutPage', 'payouts', payoutSchema);

export const payoutHistorySchema = record(
  'PayoutHistory',
  { says: 'Payouts, newest first, with all that was ever paid.' },
  () => ({
    payouts: z.array(payoutSchema()),
    total_paid_cents: amount(),
    next_cursor: nextCursor(),
  }),
);
