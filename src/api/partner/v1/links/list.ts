import { z } from 'zod';
import { endpoint } from '../../../../http/endpoint.ts';
import { pageQuery } from '../../../../http/fields.ts';
import { linkPageSchema } from '../../../../market/referrals/link-schema.ts';
import { linkView, listLinks } from '../../../../market/referrals/links.ts';

export const getLinks = endpoint({
  name: 'getLinks',
  group: 'Referral and reporting',
  method: 'GET',
  path: '/api/partner/v1/links',
  summary: 'All links with per-link click and sale stats.',
  scopes: ['refer'],
  rateClass: 'default',
  affiliate: true,
  query: () => z.object(pageQuery()),
  errors: ['validation_error'],
  status: 200,
  answer: linkPageSchema,
  handle({ tx, owner, query, baseUrl }) {
    const { rows, next_cursor } = listLinks(tx, owner, query);
    return { links: rows.map((link) => linkView(tx, link, baseUrl)), next_cursor };
  },
});
