import { CodedError } from '../../kernel/errors.ts';
import { commissionCents } from '../../kernel/money.ts';
import { isoTime } from '../../kernel/time.ts';
import type { Tx } from '../../store/transaction.ts';
import { COMMISSION_BASIS_POINTS } from '../defaults.ts';
import { findForSale, markSold } from '../inventory/listings.ts';
import { hasBehavior } from '../inventory/magic-domains.ts';
import type { Buyer } from '../orders/order.ts';
import { isReserved } from '../quotes.ts';
import type { Link } from '../referrals/links.ts';
import { postMarketplaceSale } from '../transactions/sales.ts';
import type { Transaction } from '../transactions/transactions.ts';
import { type CheckoutSession, writeSessionStatus } from './sessions.ts';

/** Whether a session can be paid now, or why not. */
type CheckoutStatus = 'open' | ClosedReason;
export type ClosedReason = 'paid' | 'cancelled' | 'expired' | 'sold' | 'reserved';

export class SessionClosedError extends CodedError {
  readonly reason: ClosedReason;

  constructor(session: CheckoutSession, reason: ClosedReason) {
    const message = `checkout session ${session.id} ${CLOSED_MESSAGES[reason](session)}`;
    super('conflict', message);
    this.name = 'SessionClosedError';
    this.reason = reason;
  }
}

export function checkoutStatus(tx: Tx, session: CheckoutSession): CheckoutStatus {
  if (session.status === 'PAID') return 'paid';
  if (session.status === 'CANCELLED') return 'cancelled';
  if (session.expiresAt <= tx.now) return 'expired';
  if (!findForSale(tx, session.environment, session.domain)) return 'sold';
  // The live quote of another partner reserves the domain: a checkout must not sell it.
  return isReserved(tx, session, session.domain) ? 'reserved' : 'open';
}

/**
 * Records a marketplace-collected sale: the domain is sold and the commission accrues to the partner. No event is
 * emitted: the specification lists none.
 * @param clickedLink the partner's referral link that the buyer followed, used if the session has no link
 * @throws SessionClosedError unless the session is open
 */
export function paySession(
  tx: Tx,
  session: CheckoutSession,
  buyer: Buyer,
  clickedLink?: Link,
): Transaction {
  const status = checkoutStatus(tx, session);
  if (status !== 'open') throw new SessionClosedError(session, status);
  // The hosted page shows this domain as for sale until a buyer pays.
  const lostRace = hasBehavior(session.environment, session.domain, 'sold_meanwhile');
  if (lostRace) throw new SessionClosedError(session, 'sold');
  writeSessionStatus(tx, { id: session.id, status: 'PAID' });
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
    linkId: session.linkId ?? clickedLink?.id ?? null,
    buyerEmail: buyer.email,
    buyerName: buyer.name,
    buyerCountry: buyer.country,
  });
}

/** Cancels a session; it can no longer be paid. @throws SessionClosedError for a paid, cancelled or expired one */
export function cancelSession(tx: Tx, session: CheckoutSession): CheckoutSession {
  const status = checkoutStatus(tx, session);
  if (status === 'paid' || status === 'cancelled' || status === 'expired') {
    throw new SessionClosedError(session, status);
  }
  const cancelledSession: CheckoutSession = { ...session, status: 'CANCELLED' };
  writeSessionStatus(tx, cancelledSession);
  return cancelledSession;
}

const CLOSED_MESSAGES: Record<ClosedReason, (session: CheckoutSession) => string> = {
  paid: () => 'is already paid',
  cancelled: () => 'was cancelled',
  expired: ({ expiresAt }) => `expired at ${isoTime(expiresAt)}`,
  reserved: ({ domain }) => `is for ${domain}, which another partner's quote reserves`,
  sold: ({ domain }) => `is for ${domain}, which is no longer for sale`,
};
