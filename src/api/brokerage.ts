import { z } from 'zod';
import { get, post } from '../http/endpoint.ts';
import { currencyCode, dealCents, domainName, emailAddress, pageQuery } from '../http/fields.ts';
import { brokerageCase, caseDetail, casePage, eligibility } from '../market/brokerage/case.ts';
import {
  ineligibilityOf,
  listCases,
  requireOwnCase,
  withCaseDetails,
  withProgressUrl,
} from '../market/brokerage/cases.ts';
import { openCase } from '../market/brokerage/move-case.ts';
import { CURRENCY } from '../market/defaults.ts';
import { mapPage } from '../store/paging.ts';
import { TIERS } from '../store/schema/enums.ts';

export const getEligibility = get('/api/partner/v1/brokerage/eligibility', {
  group: 'Brokerage',
  summary: 'Ineligible when the domain runs an active site or is already in an open case.',
  scopes: ['broker'],
  query: () => z.object({ domain: domainName() }),
  choiceNote:
    'A listed domain is ineligible too. Only the magic domain `active-site.test` runs a site.',
  response: eligibility,
  handle({ tx, owner, query: { domain } }) {
    return { domain, reasons: ineligibilityOf(tx, owner.environment, domain) };
  },
});

const body = () =>
  z
    .object({
      domain: domainName(),
      tier: z.enum(TIERS),
      buyer_email: emailAddress(),
      budget_cents: dealCents().nullish(),
      budget: dealCents().nullish(),
      currency: currencyCode().nullish(),
    })
    .superRefine(({ budget_cents, budget, currency }, context) => {
      const addIssue = (field: string, message: string) =>
        context.addIssue({ code: 'custom', path: [field], message });
      if (budget_cents == null && budget == null) addIssue('budget_cents', 'is required');
      if (budget_cents != null && budget != null && budget_cents !== budget) {
        addIssue('budget', 'differs from budget_cents');
      }
      if (currency != null && currency !== CURRENCY) {
        addIssue('currency', `must be ${CURRENCY}`);
      }
    });

export const postBrokerage = post('/api/partner/v1/brokerage', {
  group: 'Brokerage',
  summary: 'Case with a no-login progress link for the buyer.',
  scopes: ['broker'],
  body,
  chosenInputs: ['domain', 'budget_cents', 'currency'],
  choiceNote: 'The budget is required and in cents; `budget` is an alias of `budget_cents`.',
  errors: {
    conflict: 'The domain is listed, runs an active site or is in an open case.',
  },
  status: 201,
  response: brokerageCase,
  handle({ tx, owner, body: input, baseUrl }) {
    return withProgressUrl(tx, openCase(tx, owner, input), baseUrl);
  },
});

export const getCases = get('/api/partner/v1/brokerage', {
  group: 'Settlement, history, refunds',
  summary: 'List of brokerage cases and outcomes.',
  scopes: ['report'],
  query: () => z.object(pageQuery()),
  response: casePage,
  handle({ tx, owner, query, baseUrl }) {
    return mapPage(listCases(tx, owner, query), (row) => withProgressUrl(tx, row, baseUrl));
  },
});

export const getCase = get('/api/partner/v1/brokerage/:case_id', {
  group: 'Brokerage',
  summary: "Status and timeline of one of the partner's own cases.",
  scopes: ['broker'],
  choiceNote: 'A case goes from OPEN to NEGOTIATING, then to COMPLETED or CLOSED.',
  errors: {
    not_found: 'The partner has no such case.',
  },
  response: caseDetail,
  handle({ tx, owner, params, baseUrl }) {
    return withCaseDetails(tx, requireOwnCase(tx, owner, params.case_id), baseUrl);
  },
});
