import { z } from 'zod';
import { EVENT_TYPES } from '../../events/event-types.ts';
import { address, amount, currency, idOf, page, record, time } from '../../kernel/answer.ts';
import { CASE_STATUSES, TIERS } from '../../store/schema/words.ts';

export const eligibilitySchema = record(
  'BrokerageEligibility',
  { says: 'Whether a domain can be acquired through brokerage, and why not.' },
  () => ({
    domain: z.string(),
    eligible: z.boolean(),
    reasons: z.array(z.enum(['listed', 'active_site', 'open_case'])),
  }),
);

export const caseSchema = record(
  'BrokerageCase',
  {
    says: 'The acquisition of a domain that is not listed; `progress_url` needs no login.',
    specified: ['tier', 'buyer_email'],
  },
  () => ({
    case_id: idOf('brk'),
    domain: z.string(),
    tier: z.enum(TIERS),
    status: z.enum(CASE_STATUSES),
    buyer_email: z.string(),
    budget_cents: amount(),
    currency: currency(),
    progress_url: address(),
    created_at: time(),
    updated_at: time(),
  }),
);

const caseTimelineEntrySchema = record(
  'BrokerageTimelineEntry',
  { says: 'A state that a case came to; oldest first.' },
  () => ({
    status: z.enum(CASE_STATUSES),
    at: time(),
    event: z.enum(EVENT_TYPES).nullable(),
    note: z.string().nullable(),
  }),
);

export const caseDetailSchema = record(
  'BrokerageCaseDetail',
  {
    says: 'A case with its timeline and, when completed, the price of the deal.',
    specified: ['tier', 'buyer_email'],
  },
  () => ({
    ...caseSchema().shape,
    timeline: z.array(caseTimelineEntrySchema()),
    deal_price_cents: amount().optional(),
  }),
);

export const casePageSchema = page('BrokeragePage', 'cases', caseSchema);

/** What events carry of a case. */
export const caseDataSchema = record(
  'BrokerageEventData',
  { says: 'The case that an event is about.' },
  () => ({ case: caseOfEventSchema() }),
);

const caseOfEventSchema = record(
  'BrokerageCaseOfEvent',
  { says: 'A case closed with a deal.' },
  () => ({
    case_id: idOf('brk'),
    domain: z.string(),
    status: z.enum(CASE_STATUSES),
    tier: z.enum(TIERS),
    deal_price_cents: amount(),
    currency: currency(),
    commission_cents: amount(),
  }),
);
