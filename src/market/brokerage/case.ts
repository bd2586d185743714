import { z } from 'zod';
import { countedPage, type Fields, resource } from '../../kernel/resource.ts';
import { type NamedOwner, OWNER_HEADINGS, ownerFields } from '../../store/owner-fields.ts';
import { CASE_STATUSES, TIERS } from '../../store/schema/enums.ts';
import { timelineEntryOf } from '../timeline-entry.ts';
import {
  type BrokerageCase,
  type CaseTimelineEntry,
  INELIGIBILITIES,
  type Ineligibility,
} from './cases.ts';

export const eligibility = resource(
  'BrokerageEligibility',
  'Whether a domain can be acquired through brokerage, and why not.',
  ({ text, flag, value }: Fields<{ domain: string; reasons: Ineligibility[] }>) => ({
    domain: text(),
    eligible: flag().from(({ reasons }) => reasons.length === 0),
    reasons: value(() => z.array(z.enum(INELIGIBILITIES))),
  }),
);

type CaseRow = BrokerageCase & { progressUrl: string };

export const brokerageCase = resource(
  'BrokerageCase',
  'The acquisition of a domain that is not listed; `progress_url` needs no login.',
  ({ id, text, oneOf, amount, currency, url, time }: Fields<CaseRow>) => ({
    case_id: id('brk').from((row) => row.id),
    domain: text(),
    tier: oneOf(TIERS).specified(),
    status: oneOf(CASE_STATUSES),
    buyer_email: text().specified(),
    budget_cents: amount(),
    currency: currency(),
    progress_url: url(),
    created_at: time(),
    updated_at: time(),
  }),
).display({
  case_id: 'Case',
  domain: 'Domain',
  tier: 'Tier',
  status: 'Status',
  budget_cents: 'Budget',
  progress_url: 'Progress page',
});
export const casePage = brokerageCase.page('BrokeragePage', 'cases');

const timelineEntry = timelineEntryOf(
  'BrokerageTimelineEntry',
  'A state that the case was in, oldest first.',
  CASE_STATUSES,
);

type CaseDetailRow = CaseRow & { timeline: CaseTimelineEntry[] };

export const caseDetail = brokerageCase
  .extend(
    'BrokerageCaseDetail',
    'A case with its timeline and, if completed, the price of the deal.',
    ({ list, amount }: Fields<CaseDetailRow>) => ({
      timeline: list(timelineEntry),
      deal_price_cents: amount()
        .optional()
        .from((row) => row.dealPriceCents ?? undefined),
    }),
  )
  .display({ deal_price_cents: 'Deal', timeline: 'Timeline' });

export const controlCase = brokerageCase
  .extend('ControlCase', 'A brokerage case with its partner.', ownerFields<CaseRow & NamedOwner>)
  .display({ ...OWNER_HEADINGS, created_at: 'Created' }, [
    'case_id',
    'domain',
    'status',
    'tier',
    'budget_cents',
    'partner',
    'created_at',
  ]);
export const controlCasePage = countedPage(controlCase, 'ControlCasePage', 'cases');

export const controlCaseDetail = caseDetail
  .extend(
    'ControlCaseDetail',
    'A brokerage case with its partner and timeline.',
    ownerFields<CaseDetailRow & NamedOwner>,
  )
  .display({ ...OWNER_HEADINGS, created_at: 'Created' });

type DealRow = Pick<BrokerageCase, 'id' | 'domain' | 'status' | 'tier' | 'currency'> & {
  dealPriceCents: number;
  commissionCents: number;
};

const caseOfEvent = resource(
  'BrokerageCaseOfEvent',
  'A case that ended with a deal.',
  ({ id, text, oneOf, amount, currency }: Fields<DealRow>) => ({
    case_id: id('brk').from((row) => row.id),
    domain: text(),
    status: oneOf(CASE_STATUSES),
    tier: oneOf(TIERS),
    deal_price_cents: amount(),
    currency: currency(),
    commission_cents: amount(),
  }),
);

export const caseEventData = resource(
  'BrokerageEventData',
  'The case that the event is about.',
  ({ object }: Fields<DealRow>) => ({ case: object(caseOfEvent).from((row) => row) }),
);
