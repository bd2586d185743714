import { z } from 'zod';
import { endpoint } from '../../../http/endpoint.ts';
import { isoTimeText } from '../../../http/fields.ts';
import { analyticsView } from '../../../market/reports/analytics.ts';
import { analyticsSchema } from '../../../market/reports/report-schemas.ts';

export const getAnalytics = endpoint({
  name: 'getAnalytics',
  group: 'Referral and reporting',
  method: 'GET',
  path: '/api/partner/v1/analytics',
  summary: 'Aggregated referral funnel, orders GMV and commission.',
  scopes: ['report'],
  rateClass: 'default',
  affiliate: true,
  query: () => z.object({ from: isoTimeText().optional(), to: isoTimeText().optional() }),
  chosenInputs: ['from', 'to'],
  choice:
    '`orders` equals the totals of /transactions; the funnel counts marketplace-collected sessions and sales with and without a link.',
  errors: ['validation_error'],
  status: 200,
  answer: analyticsSchema,
  handle: ({ tx, owner, query }) => analyticsView(tx, owner, query),
});
