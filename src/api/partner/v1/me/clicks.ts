import { z } from 'zod';
import { endpoint } from '../../../../http/endpoint.ts';
import { isoTimeText } from '../../../../http/fields.ts';
import { clicksByDay } from '../../../../market/reports/clicks.ts';
import { clicksSchema } from '../../../../market/reports/report-schemas.ts';
import { windowView } from '../../../../market/tallies/window.ts';

export const getMyClicks = endpoint({
  name: 'getMyClicks',
  group: 'Referral and reporting',
  method: 'GET',
  path: '/api/partner/v1/me/clicks',
  summary: 'Referral click totals.',
  scopes: ['report'],
  rateClass: 'default',
  affiliate: true,
  query: () => z.object({ from: isoTimeText().optional(), to: isoTimeText().optional() }),
  chosenInputs: ['from', 'to'],
  errors: ['validation_error'],
  status: 200,
  answer: clicksSchema,
  handle({ tx, owner, query }) {
    const days = clicksByDay(tx, owner, query);
    const total_clicks = days.reduce((sum, day) => sum + day.clicks, 0);
    return { ...windowView(query), total_clicks, days };
  },
});
