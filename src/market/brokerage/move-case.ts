import { recordEvent } from '../../events/events.ts';
import { conflict, validationError } from '../../kernel/errors.ts';
import { commissionCents } from '../../kernel/money.ts';
import { brokerageCases } from '../../store/schema/brokerage.ts';
import type { CaseStatus, Tier } from '../../store/schema/enums.ts';
import type { Owner } from '../../store/schema/partners.ts';
import { updater } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { COMMISSION_BASIS_POINTS, CURRENCY } from '../defaults.ts';
import { markSold } from '../inventory/listings.ts';
import { postMarketplaceSale } from '../transactions/sales.ts';
import { caseEventData } from './case.ts';
import { type BrokerageCase, ineligibilityOf, insertCase, insertCaseEntry } from './cases.ts';

export const CASE_MOVES: Record<CaseStatus, readonly CaseStatus[]> = {
  OPEN: ['NEGOTIATING'],
  NEGOTIATING: ['COMPLETED', 'CLOSED'],
  COMPLETED: [],
  CLOSED: [],
};

const writeCase = updater(brokerageCases, 'id', 'status', 'dealPriceCents', 'updatedAt');

interface NewCase {
  domain: string;
  tier: Tier;
  buyer_email: string;
  budget_cents?: number | null | undefined;
  /** Alias of `budget_cents`. */
  budget?: number | null | undefined;
}

/** Opens a case (specification, POST /brokerage). @throws conflict for an ineligible domain */
export function openCase(tx: Tx, owner: Owner, input: NewCase): BrokerageCase {
  const reasons = ineligibilityOf(tx, owner.environment, input.domain);
  if (reasons.length > 0) {
    throw conflict(`domain: ${input.domain} is not eligible for brokerage: ${reasons.join(', ')}`);
  }
  const row: BrokerageCase = {
    id: tx.nextId('brk'),
    partnerId: owner.partnerId,
    environment: owner.environment,
    domain: input.domain,
    tier: input.tier,
    buyerEmail: input.buyer_email,
    budgetCents: input.budget_cents ?? input.budget ?? 0,
    currency: CURRENCY,
    status: 'OPEN',
    dealPriceCents: null,
    createdAt: tx.now,
    updatedAt: tx.now,
  };
  insertCase(tx, row);
  insertCaseEntry(tx, { caseId: row.id, status: 'OPEN', at: tx.now, event: null, note: null });
  return row;
}

/**
 * Moves a case to a state. A COMPLETED case records the sale, its commission and the event.
 * @param dealPriceCents price of a COMPLETED case, by default its budget
 * @throws conflict, naming the possible moves, if the state cannot be reached; validation_error for a price in another state
 */
export function advanceCase(
  tx: Tx,
  current: BrokerageCase,
  to: CaseStatus,
  dealPriceCents: number | undefined,
): BrokerageCase {
  if (to !== 'COMPLETED' && dealPriceCents !== undefined) {
    throw validationError('deal_price_cents: only a COMPLETED case has one');
  }
  // COMPLETED and CLOSED end a negotiation, so an OPEN case moves to NEGOTIATING first.
  const needsNegotiation = current.status === 'OPEN' && (to === 'COMPLETED' || to === 'CLOSED');
  const steps: CaseStatus[] = needsNegotiation ? ['NEGOTIATING', to] : [to];
  const deal = to === 'COMPLETED' ? (dealPriceCents ?? current.budgetCents) : null;
  return steps.reduce((row, step) => moveCase(tx, row, step, step === to ? deal : null), current);
}

function moveCase(
  tx: Tx,
  brokerageCase: BrokerageCase,
  to: CaseStatus,
  dealPriceCents: number | null,
): BrokerageCase {
  if (!CASE_MOVES[brokerageCase.status].includes(to)) throw illegalMove(brokerageCase, to);
  const row: BrokerageCase = { ...brokerageCase, status: to, dealPriceCents, updatedAt: tx.now };
  writeCase(tx, row);
  const event = to === 'COMPLETED' ? ('brokerage.case_completed' as const) : null;
  insertCaseEntry(tx, { caseId: brokerageCase.id, status: to, at: tx.now, event, note: null });
  if (dealPriceCents !== null) recordDeal(tx, row, dealPriceCents);
  return row;
}

function recordDeal(tx: Tx, deal: BrokerageCase, priceCents: number): void {
  const commission = commissionCents(priceCents, COMMISSION_BASIS_POINTS.brokerage);
  // A refund may have relisted the domain since the case was opened.
  markSold(tx, deal.environment, deal.domain);
  postMarketplaceSale(tx, {
    partnerId: deal.partnerId,
    environment: deal.environment,
    domain: deal.domain,
    paymentModel: 'brokerage',
    salePriceCents: priceCents,
    commissionCents: commission,
    currency: deal.currency,
    sessionId: null,
    caseId: deal.id,
    linkId: null,
    buyerEmail: deal.buyerEmail,
    buyerName: null,
    buyerCountry: null,
  });
  recordEvent(tx, {
    type: 'brokerage.case_completed',
    partnerId: deal.partnerId,
    environment: deal.environment,
    subjectId: deal.id,
    data: caseEventData.view({ ...deal, dealPriceCents: priceCents, commissionCents: commission }),
  });
}

function illegalMove(brokerageCase: BrokerageCase, to: CaseStatus): Error {
  const moves = CASE_MOVES[brokerageCase.status].flatMap((move) => [move, ...CASE_MOVES[move]]);
  const open = moves.length > 0 ? `open moves: ${moves.join(', ')}` : 'it is final';
  return conflict(
    `case ${brokerageCase.id} is ${brokerageCase.status}, so ${to} is not possible; ${open}`,
  );
}
