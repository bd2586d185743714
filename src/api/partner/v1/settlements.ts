import { z } from 'zod';
import { endpoint } from '../../../http/endpoint.ts';
import { pageQuery } from '../../../http/fields.ts';
import { statementPageSchema } from '../../../market/settlements/statement-schema.ts';
import { listStatements, statementView } from '../../../market/settlements/statements.ts';

export const getSettlements = endpoint({
  name: 'getSettlements',
  group: 'Settlement, history, refunds',
  method: 'GET',
  path: '/api/partner/v1/settlements',
  summary: 'Per-period statements: gross sold, commission retained, amount owed.',
  scopes: ['buy'],
  rateClass: 'reporting',
  query: () => z.object(pageQuery()),
  choice:
    'A period ends with the calendar month (UTC) or with a settlement run, whichever is first. The open one is listed too.',
  errors: ['validation_error'],
  status: 200,
  answer: statementPageSchema,
  handle({ tx, owner, query }) {
    const { rows, next_cursor } = listStatements(tx, owner, query);
    return { settlements: rows.map((period) => statementView(tx, period)), next_cursor };
  },
});
