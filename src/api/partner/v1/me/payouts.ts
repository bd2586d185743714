import { z } from 'zod';
import { endpoint } from '../../../../http/endpoint.ts';
import { pageQuery } from '../../../../http/fields.ts';
import { payoutHistorySchema } from '../../../../market/payouts/payout-schema.ts';
import { listPayouts, payoutView, totalPaidCents } from '../../../../market/payouts/payouts.ts';

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
  errors: ['validation_error'],
  status: 200,
  answer: payoutHistorySchema,
  handle({ tx, owner, query }) {
    const { rows, next_cursor } = listPayouts(tx, owner, query);
    const total_paid_cents = totalPaidCents(tx, owner);
    return { payouts: rows.map(payoutView), total_paid_cents, next_cursor };
  },
});
