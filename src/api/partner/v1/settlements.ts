import { z } from 'zod';
import { endpoint } from '../../../http/endpoint.ts';
import { pageQuery } from '../../../http/fields.ts';
import { listStatements, statementView } from '../../../market/settlements/statements.ts';

export const getSettlements = endpoint({
  method: 'GET',
  path: '/api/partner/v1/settlements',
  summary: 'Per-period statements: gross sold, commission retained, amount owed.',
  scopes: ['buy'],
  rateClass: 'reporting',
  query: z.object(pageQuery()),
  errors: ['validation_error'],
  status: 200,
  handle({ tx, owner, query }) {
    const { rows, next_cursor } = listStatements(tx, owner, query);
    return { settlements: rows.map((period) => statementView(tx, period)), next_cursor };
  },
});
