import { z } from 'zod';
import { endpoint } from '../../../../http/endpoint.ts';
import { pageQuery } from '../../../../http/fields.ts';
import { casePageSchema } from '../../../../market/brokerage/case-schema.ts';
import { caseView, listCases } from '../../../../market/brokerage/cases.ts';

export const getCases = endpoint({
  name: 'getCases',
  group: 'Settlement, history, refunds',
  method: 'GET',
  path: '/api/partner/v1/brokerage',
  summary: 'List of brokerage cases and outcomes.',
  scopes: ['report'],
  rateClass: 'default',
  query: () => z.object(pageQuery()),
  errors: ['validation_error'],
  status: 200,
  answer: casePageSchema,
  handle({ tx, owner, query, baseUrl }) {
    const { rows, next_cursor } = listCases(tx, owner, query);
    return { cases: rows.map((each) => caseView(tx, each, baseUrl)), next_cursor };
  },
});
