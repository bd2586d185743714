import { z } from 'zod';
import { endpoint } from '../../../http/endpoint.ts';
import { pageQuery } from '../../../http/fields.ts';
import { payoutPageSchema } from '../../../market/payouts/payout-schema.ts';
import { listPayouts, payoutView } from '../../../market/payouts/payouts.ts';

export const getPayouts = endpoint({
  name: 'getPayouts',
  group: 'Settlement, history, refunds',
  method: 'GET',
  path: '/api/partner/v1/payouts',
  summary: 'Payouts the marketplace made to the partner.',
  scopes: ['report'],
  rateClass: 'reporting',
  query: () => z.object(pageQuery()),
  errors: ['validation_error'],
  status: 200,
  answer: payoutPageSchema,
  handle({ tx, owner, query }) {
    const { rows, next_cursor } = listPayouts(tx, owner, query);
    return { payouts: rows.map(payoutView), next_cursor };
  },
});
