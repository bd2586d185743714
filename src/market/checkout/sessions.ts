import { type InferSelectModel, sql } from 'drizzle-orm';
import { validationError } from '../../kernel/errors.ts';
import { DAY } from '../../kernel/time.ts';
import { filteredList } from '../../store/paging.ts';
import { checkoutSessions } from '../../store/schema/checkout.ts';
import type { SessionState } from '../../store/schema/enums.ts';
import { transactions } from '../../store/schema/money.ts';
import type { Owner } from '../../store/schema/partners.ts';
import { finder, inserter, required, updater } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { requireListed } from '../inventory/listings.ts';
import { findOwnLink } from '../referrals/links.ts';
import { signAddress, verifyAddress } from '../row-token.ts';
import type { Transaction } from '../transactions/transactions.ts';

export type CheckoutSession = InferSelectModel<typeof checkoutSessions>;

/** Specification, "Limits": checkout session validity. */
const SESSION_VALIDITY_MS = 7 * DAY;
const USE = 'checkout';

interface SaleOffer {
  domain: string;
  buyerEmail?: string | undefined;
  returnUrl?: string | undefined;
  cancelUrl?: string | undefined;
  linkId?: string | undefined;
}

const insert = inserter(checkoutSessions);
const findSession = finder(checkoutSessions, 'id');
export const writeSessionStatus = updater(checkoutSessions, 'id', 'status');

/**
 * Offers a domain at its current price on the hosted page for seven days, without reserving it (specification, POST
 * /checkout-session).
 * @throws not_found if the domain is not listed, validation_error for a link of another partner
 */
export function createSession(tx: Tx, owner: Owner, offer: SaleOffer): CheckoutSession {
  const listing = requireListed(tx, owner.environment, offer.domain);
  if (offer.linkId !== undefined && !findOwnLink(tx, owner, offer.linkId)) {
    throw validationError('link_id: not a link of this partner');
  }
  const session: CheckoutSession = {
    id: tx.nextId('cs'),
    partnerId: owner.partnerId,
    environment: owner.environment,
    domain: listing.domain,
    priceCents: listing.priceCents,
    currency: listing.currency,
    buyerEmail: offer.buyerEmail ?? null,
    returnUrl: offer.returnUrl ?? null,
    cancelUrl: offer.cancelUrl ?? null,
    linkId: offer.linkId ?? null,
    status: 'OPEN',
    createdAt: tx.now,
    expiresAt: tx.now + SESSION_VALIDITY_MS,
  };
  insert(tx, session);
  return session;
}

export const requireSession = required(
  findSession,
  (id) => `session_id: checkout session ${id} not found`,
);

export function sessionToken(tx: Tx, session: CheckoutSession): string {
  return signAddress(tx, USE, session);
}

/** Returns the session of a valid token of this world, else undefined. */
export function sessionOfToken(tx: Tx, token: string): CheckoutSession | undefined {
  return verifyAddress(tx, USE, token, findSession);
}

/** Returns the URL of the hosted page. @param baseUrl without a trailing slash */
export function checkoutUrl(tx: Tx, session: CheckoutSession, baseUrl: string): string {
  return `${baseUrl}/checkout?pt=${sessionToken(tx, session)}`;
}

const findBySession = finder(transactions, 'sessionId');

export function saleOfSession(
  tx: Tx,
  session: Pick<CheckoutSession, 'id'>,
): Transaction | undefined {
  return findBySession(tx, session.id);
}

export const listSessions = filteredList('checkout_sessions', checkoutSessions, (state, tx) => {
  const { status, expiresAt } = checkoutSessions;
  return sql`CASE WHEN ${status} = 'OPEN' AND ${expiresAt} <= ${tx.now} THEN 'EXPIRED' ELSE ${status} END = ${state}`;
});

/** Adds its URL, its sale and its state, which is EXPIRED after its time. @param baseUrl without a trailing slash */
export function withSale<Row extends CheckoutSession>(tx: Tx, session: Row, baseUrl: string) {
  const { status, expiresAt } = session;
  const state: SessionState = status === 'OPEN' && expiresAt <= tx.now ? 'EXPIRED' : status;
  const transactionId = saleOfSession(tx, session)?.id ?? null;
  return { ...session, url: checkoutUrl(tx, session, baseUrl), state, transactionId };
}
