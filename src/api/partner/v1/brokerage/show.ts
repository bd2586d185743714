import { z } from 'zod';
import { endpoint } from '../../../../http/endpoint.ts';
import { caseDetailSchema } from '../../../../market/brokerage/case-schema.ts';
import { caseDetailView, requireOwnCase } from '../../../../market/brokerage/cases.ts';

export const getCase = endpoint({
  name: 'getCase',
  group: 'Brokerage',
  method: 'GET',
  path: '/api/partner/v1/brokerage/:case_id',
  summary: "Status and timeline of one of the partner's own cases.",
  scopes: ['broker'],
  rateClass: 'default',
  params: () => z.object({ case_id: z.string() }),
  choice: 'A case goes from OPEN to NEGOTIATING, then to COMPLETED or CLOSED.',
  errors: ['not_found'],
  when: { not_found: 'The partner has no such case.' },
  status: 200,
  answer: caseDetailSchema,
  handle({ tx, owner, params, baseUrl }) {
    return caseDetailView(tx, requireOwnCase(tx, owner, params.case_id), baseUrl);
  },
});
