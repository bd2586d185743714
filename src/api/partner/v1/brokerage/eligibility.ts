import { z } from 'zod';
import { endpoint } from '../../../../http/endpoint.ts';
import { domainName } from '../../../../http/fields.ts';
import { ineligibilityOf } from '../../../../market/brokerage/eligibility.ts';

export const getEligibility = endpoint({
  method: 'GET',
  path: '/api/partner/v1/brokerage/eligibility',
  summary: 'Ineligible when the domain runs an active site or is already in an open case.',
  scopes: ['broker'],
  rateClass: 'default',
  query: z.object({ domain: domainName() }),
  errors: ['validation_error'],
  status: 200,
  handle({ tx, owner, query: { domain } }) {
    const reasons = ineligibilityOf(tx, owner.environment, domain);
    return { domain, eligible: reasons.length === 0, reasons };
  },
});
