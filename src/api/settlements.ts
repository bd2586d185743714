import { z } from 'zod';
import { get } from '../http/endpoint.ts';
import { pageQuery } from '../http/fields.ts';
import { listStatements, withSums } from '../market/settlements/periods.ts';
import { statementPage } from '../market/settlements/statement.ts';
import { mapPage } from '../store/paging.ts';

export const getSettlements = get('/api/partner/v1/settlements', {
  group: 'Settlement, history, refunds',
  summary: 'Per-period statements: gross sold, commission retained, amount owed.',
  scopes: ['buy'],
  rateClass: 'reporting',
  query: () => z.object(pageQuery()),
  choice:
    'A period ends with the calendar month (UTC) or with a settlement run, whichever is first. The open one is listed too.',
  response: statementPage,
  handle({ tx, owner, query }) {
    return mapPage(listStatements(tx, owner, query), (period) => withSums(tx, period));
  },
});
