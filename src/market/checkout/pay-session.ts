import { CodedError } from '../../kernel/errors.ts';
import { commissionCents } from '../../kernel/money.ts';
import { isoTime } from '../../kernel/time.ts';
import type { Tx } from '../../store/transaction.ts';
import { COMMISSION_BASIS_POINTS } from '../commission.ts';
import { findOffer, markSold } from '../inventory/listings.ts';
import { hasBehavior } from '../inventory/magic-domains.ts';
import { isReserved } from '../quotes/quotes.ts';
import type { Link } from '../referrals/links.ts';
import { postMarketplaceSale } from '../transactions/record-sale.ts';
import type { Transaction } from '../transactions/transactions.ts';
import { type CheckoutSession, writeSessionStatus } from './sessions.ts';

export interface Buyer {
  email: string;
  name: string | null;
  country: string | null;
}

/** What may be done with a session now; everything but `open` has a page of its own. */
export type CheckoutStatus = 'open' | ClosedReason;
export type ClosedReason = 'paid' | 'cancelled' | 'expired' | 'sold' | 'reserved';

/** The conflict of a session with which nothing can be done any more, and why not. */
export class SessionClosedError extends CodedError {
  readonly reason: ClosedReason;

  constructor(session: CheckoutSession, reason: ClosedReason) {
    super('conflict', `checkout session ${session.id} ${WHY[reason](session)}`);
    this.name = 'SessionClosedError';
    this.reason = reason;
  }
}

/** Where a session stands at `tx.now`. */
export function checkoutStatus(tx: Tx, session: CheckoutSession): CheckoutStatus {
  if (session.status === 'PAID') return 'paid';
  if (session.status === 'CANCELLED') return 'cancelled';
  if (session.expiresAt <= tx.now) return 'expired';
  if (!isForSale(tx, session)) return 'sold';
  // A quote is firm for its ten minutes: a checkout must not sell the domain from under it.
  return isReserved(tx, session, session.domain) ? 'reserved' : 'open';
}

/**
 * Records a marketplace-collected sale: the domain is sold, its transaction exists and the commission
 * accrues to the partner. It is no order and emits no partner event: the specification lists none.
 * @param clicked the link that brought the buyer, for a session that names none itself
 * @throws SessionClosedError unless the session is open
 */
export function paySession(
  tx: Tx,
  session: CheckoutSession,
  buyer: Buyer,
  clicked?: Pick<Link, 'id'>,
): Transaction {
  const status = checkoutStatus(tx, session);
  // On its page this domain is for sale until somebody pays.
  const lostRace = hasBehavior(session.environment, session.domain, 'sold_meanwhile');
  if (status !== 'open') throw new SessionClosedError(session, status);
  if (lostRace) throw new SessionClosedError(session, 'sold');
  writeSessionStatus(tx, session.id, 'PAID');
  markSold(tx, session.environment, session.domain);
  return postMarketplaceSale(tx, {
    partnerId: session.partnerId,
    environment: session.environment,
    domain: session.domain,
    paymentModel: 'marketplace_collected',
    salePriceCents: session.priceCents,
    commissionCents: commissionCents(
      session.priceCents,
      COMMISSION_BASIS_POINTS.marketplace_collected,
    ),
    currency: session.currency,
    sessionId: session.id,
    caseId: null,
    linkId: session.linkId ?? clicked?.id ?? null,
    buyerEmail: buyer.email,
    buyerName: buyer.name,
    buyerCountry: buyer.country,
  });
}

/** The buyer walks away; the link is used up. @throws SessionClosedError unless there is a choice left */
export function cancelSession(tx: Tx, session: CheckoutSession): CheckoutSession {
  const status = checkoutStatus(tx, session);
  if (status === 'paid' || status === 'cancelled' || status === 'expired') {
    throw new SessionClosedError(session, status);
  }
  writeSessionStatus(tx, session.id, 'CANCELLED');
  return { ...session, status: 'CANCELLED' };
}

function isForSale(tx: Tx, { environment, domain }: CheckoutSession): boolean {
  return findOffer(tx, environment, domain) !== undefined;
}

const WHY: Record<ClosedReason, (session: CheckoutSession) => string> = {
  paid: () => 'is paid already',
  cancelled: () => 'was cancelled',
  expired: ({ expiresAt }) => `expired at ${isoTime(expiresAt)}`,
  reserved: ({ domain }) => `is for ${domain}, which another partner's quote reserves`,
  sold: ({ domain }) => `is for ${domain}, which was sold meanwhile`,
};
