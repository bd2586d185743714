import { z } from 'zod';
import { endpoint } from '../../../../http/endpoint.ts';
import {
  currencyCode,
  dealCents,
  domainName,
  emailAddress,
  oneOf,
} from '../../../../http/fields.ts';
import { caseSchema } from '../../../../market/brokerage/case-schema.ts';
import { caseView } from '../../../../market/brokerage/cases.ts';
import { openCase } from '../../../../market/brokerage/move-case.ts';
import { CURRENCY } from '../../../../market/currency.ts';
import { TIERS } from '../../../../store/schema/words.ts';

const body = () =>
  z
    .object({
      domain: domainName(),
      tier: oneOf(TIERS),
      buyer_email: emailAddress(),
      budget_cents: dealCents().nullish(),
      budget: dealCents().nullish().meta({ otherNameOf: 'budget_cents' }),
      currency: currencyCode().nullish(),
    })
    .superRefine(({ budget_cents, budget, currency }, context) => {
      const refuse = (field: string, message: string) =>
        context.addIssue({ code: 'custom', path: [field], message });
      if (budget_cents == null && budget == null) refuse('budget_cents', 'is required');
      if (budget_cents != null && budget != null && budget_cents !== budget) {
        refuse('budget', 'differs from budget_cents, its other name');
      }
      if (currency != null && currency !== CURRENCY) {
        refuse('currency', `must be ${CURRENCY}`);
      }
    });

export const postBrokerage = endpoint({
  name: 'postBrokerage',
  group: 'Brokerage',
  method: 'POST',
  path: '/api/partner/v1/brokerage',
  summary: 'Case with a no-login progress link for the buyer.',
  scopes: ['broker'],
  rateClass: 'default',
  body,
  bodyVariants: [
    { name: 'CaseByBudget', says: 'With the budget as `budget`.', required: ['budget'] },
    {
      name: 'CaseByBudgetCents',
      says: 'With the budget as `budget_cents`, its other name.',
      required: ['budget_cents'],
    },
  ],
  chosenInputs: ['domain', 'budget_cents', 'currency'],
  choice: 'The budget is in cents; `budget_cents` is its other name.',
  errors: ['validation_error', 'conflict'],
  when: { conflict: 'The domain is listed, runs an active site or is in an open case.' },
  status: 201,
  answer: caseSchema,
  handle({ tx, owner, body: wish, baseUrl }) {
    const opened = openCase(tx, owner, {
      domain: wish.domain,
      tier: wish.tier,
      buyerEmail: wish.buyer_email,
      budgetCents: wish.budget_cents ?? wish.budget ?? 0,
      currency: wish.currency ?? CURRENCY,
    });
    return caseView(tx, opened, baseUrl);
  },
});
