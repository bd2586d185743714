import { z } from 'zod';
import { amount, count, currency, idOf, nextCursor, record, time } from '../../kernel/answer.ts';
import { PAYMENT_MODELS, TRANSACTION_STATUSES } from '../../store/schema/words.ts';

export const transactionSchema = record(
  'Transaction',
  { says: 'A sale, however it was paid for.', specified: ['payment_model'] },
  () => ({
    transaction_id: idOf('txn'),
    domain: z.string(),
    payment_model: z.enum(PAYMENT_MODELS),
    status: z.enum(TRANSACTION_STATUSES),
    sale_price_cents: amount(),
    commission_cents: amount(),
    currency: currency(),
    order_public_id: idOf('ord').nullable(),
    created_at: time(),
  }),
);

const totalsSchema = record(
  'TransactionTotals',
  { says: 'Sums over the whole filter; refunded and cancelled sales are not counted.' },
  () => ({
    count: count(),
    gmv_cents: amount(),
    commission_cents: amount(),
    currency: currency(),
  }),
);

export const transactionPageSchema = record(
  'TransactionPage',
  { says: 'Sales, newest first, with the totals of the whole filter.' },
  () => ({
    transactions: z.array(transactionSchema()),
    totals: totalsSchema(),
    next_cursor: nextCursor(),
  }),
);
