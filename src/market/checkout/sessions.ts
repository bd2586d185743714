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
import { requireForSale } from '../inventory/listings.ts';
import { findOwnLink } from '../referrals/links.ts';
import { signUrlToken, verifyUrlToken } from '../row-token.ts';

export type CheckoutSession = InferSelectModel<typeof checkoutSessions>;

/** Specification, "Limits": checkout session validity. */
const SESSION_VALIDITY_MS = 7 * DAY;
const PURPOSE = 'checkout';

interface SessionInput {
  domain: string;
  buyer_email?: string | null | undefined;
  return_url?: string | null | undefined;
  cancel_url?: string | null | undefined;
  link_id?: string | null | undefined;
}

const insert = inserter(checkoutSessions);
const findSession = finder(checkoutSessions, 'id');
export const writeSessionStatus = updater(checkoutSessions, 'id', 'status');

/**
 * Offers a domain at its current price on the hosted page for seven days, without reserving it (specification, POST
 * /checkout-session).
 * @throws not_found if the domain is not listed, validation_error for a link of another partner
 */
export function createSession(tx: Tx, owner: Owner, input: SessionInput): CheckoutSession {
  if (input.link_id != null && !findOwnLink(tx, owner, input.link_id)) {
    throw validationError('link_id: not a link of this partner');
  }
  const listing = requireForSale(tx, owner.environment, input.domain);
  const session: CheckoutSession = {
    id: tx.nextId('cs'),
    partnerId: owner.partnerId,
    environment: owner.environment,
    domain: listing.domain,
    priceCents: listing.priceCents,
    currency: listing.currency,
    buyerEmail: input.buyer_email ?? null,
    returnUrl: input.return_url ?? null,
    cancelUrl: input.cancel_url ?? null,
    linkId: input.link_id ?? null,
    status: 'OPEN',
    createdAt: tx.now,
    expiresAt: tx.now + SESSION_VALIDITY_MS,
  };
  insert(tx, session);
  return session;
}

/** Of any partner: for the control API. */
export const requireSession = required(
  findSession,
  (id) => `session_id: checkout session ${id} not found`,
);

export function sessionToken(tx: Tx, session: CheckoutSession): string {
  return signUrlToken(tx, PURPOSE, session);
}

/** Returns the session of a valid token of this world, else undefined. */
export function sessionOfToken(tx: Tx, token: string): CheckoutSession | undefined {
  return verifyUrlToken(tx, PURPOSE, token, findSession);
}

/** Returns the URL of the hosted page. @param baseUrl without a trailing slash */
export function checkoutUrl(tx: Tx, session: CheckoutSession, baseUrl: string): string {
  return `${baseUrl}/checkout?pt=${sessionToken(tx, session)}`;
}

/** Finds the sale of a paid session. */
export const findSaleOfSession = finder(transactions, 'sessionId');

/** Lists the sessions of every partner, newest first. Expiry is not stored: the filter by status is `stateOf` in SQL. */
export const listSessions = filteredList('checkout_sessions', checkoutSessions, (state, tx) => {
  const { status, expiresAt } = checkoutSessions;
  return sql`CASE WHEN ${status} = 'OPEN' AND ${expiresAt} <= ${tx.now} THEN 'EXPIRED' ELSE ${status} END = ${state}`;
});

function stateOf({ status, expiresAt }: CheckoutSession, now: number): SessionState {
  return status === 'OPEN' && expiresAt <= now ? 'EXPIRED' : status;
}

/** Adds the URL, the state and the sale of a session. @param baseUrl without a trailing slash */
export function withDetails<Row extends CheckoutSession>(tx: Tx, session: Row, baseUrl: string) {
  const url = checkoutUrl(tx, session, baseUrl);
  const sale = findSaleOfSession(tx, session.id);
  return { ...session, url, state: stateOf(session, tx.now), transactionId: sale?.id ?? null };
}
