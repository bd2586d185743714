import { z } from 'zod';
import { endpoint } from '../../../../http/endpoint.ts';
import { pageQuery } from '../../../../http/fields.ts';
import { listCommissions } from '../../../../market/reports/commissions.ts';
import { commissionPageSchema } from '../../../../market/reports/report-schemas.ts';

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
  errors: ['validation_error'],
  status: 200,
  answer: commissionPageSchema,
  handle: ({ tx, owner, query }) => listCommissions(tx, owner, query),
});
