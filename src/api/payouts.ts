import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import { pageQuery } from '../http/fields.ts';
import { payoutHistory, payoutPage } from '../market/payout.ts';
import { listPayouts, totalPaidCents } from '../market/payouts.ts';

export const getPayouts = endpoint({
  name: 'getPayouts',
  group: 'Settlement, history, refunds',
  method: 'GET',
  path: '/api/partner/v1/payouts',
  summary: 'Payouts the marketplace made to the partner.',
  scopes: ['report'],
  rateClass: 'reporting',
  query: () => z.object(pageQuery()),
  status: 200,
  response: payoutPage,
  handle({ tx, owner, query }) {
    return listPayouts(tx, owner, query);
  },
});

export const getMyPayouts = endpoint({
  name: 'getMyPayouts',
  group: 'Referral and reporting',
  method: 'GET',
  path: '/api/partner/v1/me/payouts',
  summary: 'Payout history with dates, totals, total paid.',
  scopes: ['report'],
  rateClass: 'default',
  affiliate: true,
  query: () => z.object(pageQuery()),
  status: 200,
  response: payoutHistory,
  handle({ tx, owner, query }) {
    return { ...listPayouts(tx, owner, query), totalPaidCents: totalPaidCents(tx, owner) };
  },
});
