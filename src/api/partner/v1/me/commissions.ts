import { z } from 'zod';
import { endpoint } from '../../../../http/endpoint.ts';
import { pageQuery } from '../../../../http/fields.ts';
import { listCommissions } from '../../../../market/reports/commissions.ts';

export const getMyCommissions = endpoint({
  method: 'GET',
  path: '/api/partner/v1/me/commissions',
  summary: 'Commission line items with ledger-derived running balance.',
  scopes: ['report'],
  rateClass: 'default',
  affiliate: true,
  query: z.object(pageQuery()),
  errors: ['validation_error'],
  status: 200,
  handle: ({ tx, owner, query }) => listCommissions(tx, owner, query),
});
