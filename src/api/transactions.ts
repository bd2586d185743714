import { z } from 'zod';
import { get } from '../http/endpoint.ts';
import { oneOf, pageQuery, timeRangeQuery } from '../http/fields.ts';
import { newestSales } from '../market/transactions/newest-sales.ts';
import { totalsOf } from '../market/transactions/totals.ts';
import { transactionPage } from '../market/transactions/transaction.ts';
import { PAYMENT_MODELS, TRANSACTION_STATUSES } from '../store/schema/enums.ts';

export const getTransactions = get('/api/partner/v1/transactions', {
  group: 'Settlement, history, refunds',
  summary: 'Sales history (every domain sold through the partner) plus totals GMV and commission.',
  scopes: ['report'],
  rateClass: 'reporting',
  query: () =>
    z.object({
      ...timeRangeQuery(),
      status: oneOf(TRANSACTION_STATUSES).optional().describe('Only sales in this state.'),
      payment_model: oneOf(PAYMENT_MODELS).optional().describe('Only sales of this payment model.'),
      ...pageQuery(),
    }),
  choice:
    'Totals cover the whole filter, not the page; refunded and cancelled sales are listed but not counted.',
  response: transactionPage,
  handle({ tx, owner, query: { cursor, limit, payment_model: paymentModel, ...rest } }) {
    const filter = { ...rest, paymentModel };
    const page = newestSales(tx, 'transactions', owner, filter, { cursor, limit });
    return { ...page, totals: totalsOf(tx, owner, filter) };
  },
});
