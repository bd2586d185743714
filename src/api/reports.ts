import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import { pageQuery, timeRangeQuery } from '../http/fields.ts';
import { analyticsOf, clicksByDay, listCommissions } from '../market/reports/read-reports.ts';
import {
  analytics,
  attributedSalePage,
  clickReport,
  commissionPage,
} from '../market/reports/report.ts';
import { listAttributedSales } from '../market/transactions/newest-sales.ts';

export const getMyClicks = endpoint({
  name: 'getMyClicks',
  group: 'Referral and reporting',
  method: 'GET',
  path: '/api/partner/v1/me/clicks',
  summary: 'Referral click totals.',
  scopes: ['report'],
  rateClass: 'default',
  affiliate: true,
  query: () => z.object(timeRangeQuery()),
  choiceInputs: ['from', 'to'],
  status: 200,
  response: clickReport,
  handle({ tx, owner, query }) {
    return { ...query, days: clicksByDay(tx, owner, query) };
  },
});

export const getMySales = endpoint({
  name: 'getMySales',
  group: 'Referral and reporting',
  method: 'GET',
  path: '/api/partner/v1/me/sales',
  summary: 'Attributed sales: buyer, domain, amount, commission.',
  scopes: ['report'],
  rateClass: 'default',
  affiliate: true,
  query: () => z.object(pageQuery()),
  status: 200,
  response: attributedSalePage,
  handle: ({ tx, owner, query }) => listAttributedSales(tx, owner, query),
});

export const getMyCommissions = endpoint({
  name: 'getMyCommissions',
  group: 'Referral and reporting',
  method: 'GET',
  path: '/api/partner/v1/me/commissions',
  summary: 'Commission line items with ledger-derived running balance.',
  scopes: ['report'],
  rateClass: 'default',
  affiliate: true,
  query: () => z.object(pageQuery()),
  status: 200,
  response: commissionPage,
  handle: ({ tx, owner, query }) => listCommissions(tx, owner, query),
});

export const getAnalytics = endpoint({
  name: 'getAnalytics',
  group: 'Referral and reporting',
  method: 'GET',
  path: '/api/partner/v1/analytics',
  summary: 'Aggregated referral funnel, orders GMV and commission.',
  scopes: ['report'],
  rateClass: 'default',
  affiliate: true,
  query: () => z.object(timeRangeQuery()),
  choiceInputs: ['from', 'to'],
  choice:
    '`orders` equals the totals of /transactions; the funnel counts marketplace-collected sessions and sales with and without a link.',
  status: 200,
  response: analytics,
  handle: ({ tx, owner, query }) => analyticsOf(tx, owner, query),
});
