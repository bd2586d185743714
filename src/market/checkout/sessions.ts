import { eq, type InferSelectModel, sql } from 'drizzle-orm';
import { notFound, validationError } from '../../kernel/errors.ts';
import { DAY } from '../../kernel/time.ts';
import { inserter, param, prepared } from '../../store/prepared.ts';
import { checkoutSessions } from '../../store/schema/checkout.ts';
import type { SessionStatus } from '../../store/schema/enums.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import { addToDailyTotals } from '../daily-totals/daily-totals.ts';
import { requireListed } from '../inventory/listings.ts';
import { findOwnLink } from '../referrals/links.ts';
import { signAddress, verifyAddress } from '../row-token.ts';

export type CheckoutSession = InferSelectModel<typeof checkoutSessions>;

/** Specification, "Limits": checkout session validity. */
export const SESSION_VALIDITY_MS = 7 * DAY;
const USE = 'checkout';

export interface SaleOffer {
  domain: string;
  buyerEmail?: string | undefined;
  returnUrl?: string | undefined;
  cancelUrl?: string | undefined;
  linkId?: string | undefined;
}

const insert = inserter(checkoutSessions);
const byId = prepared((db) =>
  db
    .select()
    .from(checkoutSessions)
    .where(eq(checkoutSessions.id, param('id')))
    .prepare(),
);
const setStatus = prepared((db) =>
  db
    .update(checkoutSessions)
    .set({ status: sql`${param('status')}` })
    .where(eq(checkoutSessions.id, param('id')))
    .prepare(),
);

/**
 * Offers a domain at its present price on the hosted page for seven days; reserves nothing (specification,
 * POST /checkout-session).
 * @throws not_found when unlisted, validation_error for a link that is not the partner's
 */
export function createSession(tx: Tx, owner: Owner, offer: SaleOffer): CheckoutSession {
  const listing = requireListed(tx, owner.environment, offer.domain);
  if (offer.linkId !== undefined && !findOwnLink(tx, owner, offer.linkId)) {
    throw validationError('link_id: not a link of yours');
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
  addToDailyTotals(tx, session, 'checkout', session.createdAt, 1);
  return session;
}

export function findSession(tx: Tx, id: string): CheckoutSession | undefined {
  return byId(tx).get({ id });
}

/** @throws not_found */
export function requireSession(tx: Tx, id: string): CheckoutSession {
  const session = findSession(tx, id);
  if (session) return session;
  throw notFound(`session_id: there is no checkout session ${id}`);
}

export function writeSessionStatus(tx: Tx, id: string, status: SessionStatus): void {
  setStatus(tx).run({ id, status });
}

/** The `pt` of a checkout url: names world and session, and nobody else can make one. */
export function sessionToken(tx: Tx, session: CheckoutSession): string {
  return signAddress(tx, USE, session);
}

/** The session of a genuine token of this world, else undefined. */
export function sessionOfToken(tx: Tx, token: string): CheckoutSession | undefined {
  return verifyAddress(tx, USE, token, findSession);
}

/** The address of the hosted page. @param baseUrl without a trailing slash */
export function checkoutUrl(tx: Tx, session: CheckoutSession, baseUrl: string): string {
  return `${baseUrl}/checkout?pt=${sessionToken(tx, session)}`;
}
