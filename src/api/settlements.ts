import { z } from 'zod';
import { get } from '../http/endpoint.ts';
import { pageQuery, timeRangeQuery } from '../http/fields.ts';
import { payoutHistory, payoutPage } from '../market/payout.ts';
import { listPayoutHistory, listPayouts, totalPaidCents } from '../market/payouts.ts';
import { listStatements, withSums } from '../market/settlements/periods.ts';
import { statementPage } from '../market/settlements/statement.ts';
import { totalsOf } from '../market/transactions/totals.ts';
import { transactionPage } from '../market/transactions/transaction.ts';
import { listSales } from '../market/transactions/transactions.ts';
import { mapPage, ownListName } from '../store/paging.ts';
import { PAYMENT_MODELS, TRANSACTION_STATUSES } from '../store/schema/enums.ts';

export const getSettlements = get('/api/partner/v1/settlements', {
  group: 'Settlement, history, refunds',
  summary: 'Per-period statements: gross sold, commission retained, amount owed.',
  scopes: ['buy'],
  rateClass: 'reporting',
  query: () => z.object(pageQuery()),
  choiceNote:
    'A period ends with the calendar month (UTC) or with a settlement run, whichever is first. The open one is listed too.',
  response: statementPage,
  handle({ tx, owner, query }) {
    return mapPage(listStatements(tx, owner, query), (period) => withSums(tx, period));
  },
});

export const getPayouts = get('/api/partner/v1/payouts', {
  group: 'Settlement, history, refunds',
  summary: 'Payouts the marketplace made to the partner.',
  scopes: ['report'],
  rateClass: 'reporting',
  query: () => z.object(pageQuery()),
  response: payoutPage,
  handle: ({ tx, owner, query }) => listPayouts(tx, owner, query),
});

export const getMyPayouts = get('/api/partner/v1/me/payouts', {
  group: 'Referral and reporting',
  summary: 'Payout history with dates, totals, total paid.',
  scopes: ['report'],
  requiresAffiliate: true,
  query: () => z.object(pageQuery()),
  response: payoutHistory,
  handle({ tx, owner, query }) {
    return { ...listPayoutHistory(tx, owner, query), totalPaidCents: totalPaidCents(tx, owner) };
  },
});

export const getTransactions = get('/api/partner/v1/transactions', {
  group: 'Settlement, history, refunds',
  summary: 'Sales history (every domain sold through the partner) plus totals GMV and commission.',
  scopes: ['report'],
  rateClass: 'reporting',
  query: () =>
    z.object({
      ...timeRangeQuery(),
      status: z.enum(TRANSACTION_STATUSES).optional().describe('Only sales in this state.'),
      payment_model: z
        .enum(PAYMENT_MODELS)
        .optional()
        .describe('Only sales of this payment model.'),
      ...pageQuery(),
    }),
  choiceNote:
    'Totals cover the whole filter, not the page; refunded and cancelled sales are listed but not counted.',
  response: transactionPage,
  handle({ tx, owner, query: { cursor, limit, payment_model: paymentModel, ...filters } }) {
    const filter = { ...filters, ...owner, paymentModel };
    const page = listSales(tx, ownListName('transactions', owner), filter, { cursor, limit });
    return { ...page, totals: totalsOf(tx, filter) };
  },
});
