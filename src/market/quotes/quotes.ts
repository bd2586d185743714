import { and, desc, eq, gt, type InferSelectModel, isNull, sql } from 'drizzle-orm';
import { CodedError, conflict, validationError } from '../../kernel/errors.ts';
import { isoTime, MINUTE } from '../../kernel/time.ts';
import { inserter, param, prepared } from '../../store/prepared.ts';
import { quotes } from '../../store/schema/orders.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import { type Offer, requireOffer } from '../inventory/listings.ts';
import { hasBehavior } from '../inventory/magic-domains.ts';
import { signRow, verifyRow } from '../row-token.ts';

export type Quote = InferSelectModel<typeof quotes>;

/** Specification, "Limits": quote validity. */
export const QUOTE_VALIDITY_MS = 10 * MINUTE;
const USE = 'quote';

const insert = inserter(quotes);
const byId = prepared((db) =>
  db
    .select()
    .from(quotes)
    .where(eq(quotes.id, param('id')))
    .prepare(),
);
const lastToExpire = prepared((db) =>
  db
    .select({ partnerId: quotes.partnerId })
    .from(quotes)
    .where(
      and(
        isNull(quotes.orderId),
        eq(quotes.environment, param('environment')),
        eq(quotes.domain, param('domain')),
        gt(quotes.expiresAt, param('now')),
      ),
    )
    .orderBy(desc(quotes.expiresAt))
    .limit(1)
    .prepare(),
);
const setOrder = prepared((db) =>
  db
    .update(quotes)
    .set({ orderId: sql`${param('orderId')}` })
    .where(eq(quotes.id, param('id')))
    .prepare(),
);

/**
 * Locks the present price for ten minutes and reserves the domain for the partner (specification, "Quote").
 * @throws not_found when unlisted, conflict when another partner holds a live quote
 */
export function createQuote(tx: Tx, seller: Owner, domain: string): Quote {
  const listing = requireOffer(tx, seller.environment, domain);
  assertNotReserved(tx, seller, listing);
  const expired = hasBehavior(seller.environment, domain, 'quote_expires');
  const quote: Quote = {
    id: tx.nextId('qt'),
    partnerId: seller.partnerId,
    environment: seller.environment,
    domain,
    priceCents: listing.priceCents,
    currency: listing.currency,
    createdAt: tx.now,
    expiresAt: expired ? tx.now : tx.now + QUOTE_VALIDITY_MS,
    orderId: null,
  };
  insert(tx, quote);
  return quote;
}

/** @throws conflict when another partner's live quote reserves the domain */
export function assertNotReserved(tx: Tx, seller: Owner, { domain }: Offer): void {
  if (isReserved(tx, seller, domain)) {
    throw conflict(`domain: ${domain} is reserved by another partner's quote`);
  }
}

/** Whether a live quote keeps a domain from everybody but its own partner. */
export function isReserved(tx: Tx, { partnerId, environment }: Owner, domain: string): boolean {
  if (hasBehavior(environment, domain, 'reserved')) return true;
  // All live quotes of a domain are one partner's, for nobody else gets one meanwhile.
  const holder = lastToExpire(tx).get({ environment, domain, now: tx.now })?.partnerId;
  return holder !== undefined && holder !== partnerId;
}

/**
 * The live, unused quote behind a `quote_id`.
 * @throws validation_error when it is none of this partner's, conflict when used, quote_expired
 */
export function requireLiveQuote(tx: Tx, seller: Owner, token: string): Quote {
  const quote = verifyRow(tx, USE, token, (_, id) => byId(tx).get({ id }));
  if (quote?.partnerId !== seller.partnerId || quote.environment !== seller.environment) {
    throw validationError('quote_id: not a quote of yours; pass what POST /quotes answered');
  }
  if (quote.orderId !== null) {
    throw conflict(`quote_id: already used by order ${quote.orderId}`);
  }
  if (quote.expiresAt <= tx.now) {
    throw new CodedError('quote_expired', `quote_id: expired at ${isoTime(quote.expiresAt)}`);
  }
  return quote;
}

/** Ties a quote to the order that used it. */
export function useQuote(tx: Tx, quote: Quote, orderId: string): void {
  setOrder(tx).run({ id: quote.id, orderId });
}

/** The signed token that a partner knows as `quote_id`. */
export function quoteToken(tx: Tx, quote: Quote): string {
  return signRow(tx, USE, quote);
}
