import { z } from 'zod';
import { endpoint } from '../../../../http/endpoint.ts';
import { domainName } from '../../../../http/fields.ts';
import { eligibilitySchema } from '../../../../market/brokerage/case-schema.ts';
import { ineligibilityOf } from '../../../../market/brokerage/eligibility.ts';

export const getEligibility = endpoint({
  name: 'getEligibility',
  group: 'Brokerage',
  method: 'GET',
  path: '/api/partner/v1/brokerage/eligibility',
  summary: 'Ineligible when the domain runs an active site or is already in an open case.',
  scopes: ['broker'],
  rateClass: 'default',
  query: () => z.object({ domain: domainName() }),
  choice:
    'A listed domain is ineligible too. Only the magic domain `active-site.test` runs a site.',
  errors: ['validation_error'],
  status: 200,
  answer: eligibilitySchema,
  handle({ tx, owner, query: { domain } }) {
    const reasons = ineligibilityOf(tx, owner.environment, domain);
    return { domain, eligible: reasons.length === 0, reasons };
  },
});
