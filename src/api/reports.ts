import { z } from 'zod';
import { get } from '../http/endpoint.ts';
import { pageQuery, timeRangeQuery } from '../http/fields.ts';
import {
  analytics,
  analyticsOf,
  attributedSalePage,
  clickReport,
  clicksByDay,
  commissionPage,
  listCommissions,
} from '../market/reports/report.ts';
import { listAttributedSales } from '../market/transactions/transactions.ts';

export const getMyClicks = get('/api/partner/v1/me/clicks', {
  group: 'Referral and reporting',
  summary: 'Referral click totals.',
  scopes: ['report'],
  requiresAffiliate: true,
  query: () => z.object(timeRangeQuery()),
  chosenInputs: ['from', 'to'],
  response: clickReport,
  handle({ tx, owner, query }) {
    return { ...query, days: clicksByDay(tx, owner, query) };
  },
});

export const getMySales = get('/api/partner/v1/me/sales', {
  group: 'Referral and reporting',
  summary: 'Attributed sales: buyer, domain, amount, commission.',
  scopes: ['report'],
  requiresAffiliate: true,
  query: () => z.object(pageQuery()),
  response: attributedSalePage,
  handle: ({ tx, owner, query }) => listAttributedSales(tx, owner, query),
});

export const getMyCommissions = get('/api/partner/v1/me/commissions', {
  group: 'Referral and reporting',
  summary: 'Commission line items with ledger-derived running balance.',
  scopes: ['report'],
  requiresAffiliate: true,
  query: () => z.object(pageQuery()),
  response: commissionPage,
  handle: ({ tx, owner, query }) => listCommissions(tx, owner, query),
});

export const getAnalytics = get('/api/partner/v1/analytics', {
  group: 'Referral and reporting',
  summary: 'Aggregated referral funnel, orders GMV and commission.',
  scopes: ['report'],
  requiresAffiliate: true,
  query: () => z.object(timeRangeQuery()),
  chosenInputs: ['from', 'to'],
  choiceNote:
    '`orders` equals the totals of /transactions; the funnel counts marketplace-collected sessions and sales with and without a link.',
  response: analytics,
  handle: ({ tx, owner, query }) => analyticsOf(tx, owner, query),
});
