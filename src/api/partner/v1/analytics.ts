import { z } from 'zod';
import { endpoint } from '../../../http/endpoint.ts';
import { isoTimeText } from '../../../http/fields.ts';
import { analyticsView } from '../../../market/reports/analytics.ts';

export const getAnalytics = endpoint({
  method: 'GET',
  path: '/api/partner/v1/analytics',
  summary: 'Aggregated referral funnel, orders GMV and commission.',
  scopes: ['report'],
  rateClass: 'default',
  affiliate: true,
  query: z.object({ from: isoTimeText().optional(), to: isoTimeText().optional() }),
  errors: ['validation_error'],
  status: 200,
  handle: ({ tx, owner, query }) => analyticsView(tx, owner, query),
});
