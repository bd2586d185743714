import { conflict } from '../../kernel/errors.ts';
import { commissionCents } from '../../kernel/money.ts';
import { isoTime } from '../../kernel/time.ts';
import type { Tx } from '../../store/transaction.ts';
import { COMMISSION_BASIS_POINTS } from '../commission.ts';
import { findListed, markSold } from '../inventory/listings.ts';
import { behaves } from '../inventory/magic-domains.ts';
import { bookMarketplaceSale } from '../transactions/record-sale.ts';
import type { Transaction } from '../transactions/transactions.ts';
import { type CheckoutSession, writeSessionStatus } from './sessions.ts';

export interface Buyer {
  email: string;
  name: string | null;
  country: string | null;
}

/** What may be done with a session now; everything but `open` has a page of its own. */
export type Standing = 'open' | 'paid' | 'cancelled' | 'expired' | 'sold';

/** Where a session stands at `tx.now`. */
export function standingOf(tx: Tx, session: CheckoutSession): Standing {
  if (session.status === 'PAID') return 'paid';
  if (session.status === 'CANCELLED') return 'cancelled';
  if (session.expiresAt <= tx.now) return 'expired';
  return isForSale(tx, session) ? 'open' : 'sold';
}

/**
 * Records a marketplace-collected sale: the domain is sold, its transaction exists and the commission
 * accrues to the partner. It is no order and emits no partner event: the specification lists none.
 * @throws conflict unless the session is open
 */
export function paySession(tx: Tx, session: CheckoutSession, buyer: Buyer): Transaction {
  const standing = standingOf(tx, session);
  // On its page this domain is for sale until somebody pays.
  const lostRace = behaves(session.environment, session.domain, 'sold_meanwhile');
  if (standing !== 'open' || lostRace) throw refused(session, lostRace ? 'sold' : standing);
  writeSessionStatus(tx, session.id, 'PAID');
  markSold(tx, session.environment, session.domain);
  return bookMarketplaceSale(tx, {
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
    linkId: session.linkId,
    buyerEmail: buyer.email,
    buyerName: buyer.name,
    buyerCountry: buyer.country,
  });
}

/** The buyer walks away; the link is used up. @throws conflict unless the session is open */
export function cancelSession(tx: Tx, session: CheckoutSession): CheckoutSession {
  const standing = standingOf(tx, session);
  if (standing !== 'open' && standing !== 'sold') throw refused(session, standing);
  writeSessionStatus(tx, session.id, 'CANCELLED');
  return { ...session, status: 'CANCELLED' };
}

function isForSale(tx: Tx, { environment, domain }: CheckoutSession): boolean {
  return findListed(tx, environment, domain) !== undefined;
}

const WHY: Record<Exclude<Standing, 'open'>, (session: CheckoutSession) => string> = {
  paid: () => 'is paid already',
  cancelled: () => 'was cancelled',
  expired: ({ expiresAt }) => `expired at ${isoTime(expiresAt)}`,
  sold: ({ domain }) => `is for ${domain}, which was sold meanwhile`,
};

function refused(session: CheckoutSession, standing: Standing): Error {
  const why = standing === 'open' ? 'is open' : WHY[standing](session);
  return conflict(`checkout session ${session.id} ${why}`);
}
