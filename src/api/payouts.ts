import { z } from 'zod';
import { get } from '../http/endpoint.ts';
import { pageQuery } from '../http/fields.ts';
import { payoutHistory, payoutPage } from '../market/payout.ts';
import { listPayouts, totalPaidCents } from '../market/payouts.ts';

export const getPayouts = get('/api/partner/v1/payouts', {
  group: 'Settlement, history, refunds',
  summary: 'Payouts the marketplace made to the partner.',
  scopes: ['report'],
  rateClass: 'reporting',
  query: () => z.object(pageQuery()),
  response: payoutPage,
  handle({ tx, owner, query }) {
    return listPayouts(tx, owner, query);
  },
});

export const getMyPayouts = get('/api/partner/v1/me/payouts', {
  group: 'Referral and reporting',
  summary: 'Payout history with dates, totals, total paid.',
  scopes: ['report'],
  rateClass: 'default',
  affiliate: true,
  query: () => z.object(pageQuery()),
  response: payoutHistory,
  handle({ tx, owner, query }) {
    return { ...listPayouts(tx, owner, query), totalPaidCents: totalPaidCents(tx, owner) };
  },
});
