import { z } from 'zod';
import { endpoint } from '../../../../http/endpoint.ts';
import { pageQuery } from '../../../../http/fields.ts';
import { attributedSalePageSchema } from '../../../../market/reports/report-schemas.ts';
import { listAttributedSales } from '../../../../market/reports/sales.ts';

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
  errors: ['validation_error'],
  status: 200,
  answer: attributedSalePageSchema,
  handle: ({ tx, owner, query }) => listAttributedSales(tx, owner, query),
});
