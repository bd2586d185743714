import { gt, type InferSelectModel, isNull } from 'drizzle-orm';
import { CodedError, conflict, validationError } from '../kernel/errors.ts';
import { type Fields, resource } from '../kernel/resource.ts';
import { isoTime, MINUTE } from '../kernel/time.ts';
import { param } from '../store/prepared.ts';
import { quotes } from '../store/schema/orders.ts';
import type { Owner } from '../store/schema/partners.ts';
import { finder, inserter, matching, select, updater } from '../store/table.ts';
import type { Tx } from '../store/transaction.ts';
import { requireForSale } from './inventory/listings.ts';
import { hasBehavior } from './inventory/magic-domains.ts';
import { signRow, verifyRow } from './row-token.ts';

export type Quote = InferSelectModel<typeof quotes>;

/** Specification, "Limits": quote validity. */
const QUOTE_VALIDITY_MS = 10 * MINUTE;
const PURPOSE = 'quote';

const insert = inserter(quotes);
const findQuote = finder(quotes, 'id');
const liveQuote = select(quotes, {
  where: [
    isNull(quotes.orderId),
    matching(quotes, 'environment', 'domain'),
    gt(quotes.expiresAt, param('now')),
  ],
  limit: 1,
});
/** Marks a quote as used by an order. */
export const writeQuoteOrder = updater(quotes, 'id', 'orderId');

/**
 * Locks the current price for ten minutes and reserves the domain for the partner (specification, "Quote").
 * @throws not_found if the domain is not listed, conflict if another partner has a live quote
 */
export function createQuote(tx: Tx, owner: Owner, domain: string): Quote {
  const listing = requireForSale(tx, owner.environment, domain);
  assertNotReserved(tx, owner, domain);
  const expiresAtOnce = hasBehavior(owner.environment, domain, 'quote_expires');
  const quote: Quote = {
    id: tx.nextId('qt'),
    partnerId: owner.partnerId,
    environment: owner.environment,
    domain,
    priceCents: listing.priceCents,
    currency: listing.currency,
    createdAt: tx.now,
    expiresAt: expiresAtOnce ? tx.now : tx.now + QUOTE_VALIDITY_MS,
    orderId: null,
  };
  insert(tx, quote);
  return quote;
}

/** @throws conflict if another partner's live quote reserves the domain */
export function assertNotReserved(tx: Tx, owner: Owner, domain: string): void {
  if (!isReserved(tx, owner, domain)) return;
  throw conflict(`domain: ${domain} is reserved by another partner's quote`);
}

/**
 * Whether a live quote of another partner reserves a domain. All live quotes of a domain belong to one partner; the
 * others get a conflict.
 */
export function isReserved(tx: Tx, { partnerId, environment }: Owner, domain: string): boolean {
  if (hasBehavior(environment, domain, 'reserved')) return true;
  const reservation = liveQuote(tx).get({ environment, domain, now: tx.now });
  return reservation !== undefined && reservation.partnerId !== partnerId;
}

/** @throws validation_error if the `quote_id` is not a quote of this partner */
export function requireQuote(tx: Tx, owner: Owner, token: string): Quote {
  const quote = findQuoteByToken(tx, token);
  if (quote?.partnerId === owner.partnerId && quote.environment === owner.environment) return quote;
  throw validationError(
    'quote_id: not a quote of this partner; pass quote_id from the response of POST /quotes',
  );
}

/** @throws conflict if an order has used the quote, quote_expired */
export function assertLive(tx: Tx, { orderId, expiresAt }: Quote): void {
  if (orderId !== null) throw conflict(`quote_id: already used by order ${orderId}`);
  if (expiresAt > tx.now) return;
  const message = `quote_id: expired at ${isoTime(expiresAt)}; create another quote`;
  throw new CodedError('quote_expired', message);
}

export function quoteToken(tx: Tx, quote: Quote): string {
  return signRow(tx, PURPOSE, quote);
}

/** Finds the quote of a `quote_id`, of any partner. */
export function findQuoteByToken(tx: Tx, token: string): Quote | undefined {
  return verifyRow(tx, PURPOSE, token, findQuote);
}

export const quote = resource(
  'Quote',
  'A firm price for a domain, which is reserved for 10 minutes.',
  ({ text, amount, currency, time }: Fields<Quote & { token: string }>) => ({
    quote_id: text()
      .from((row) => row.token)
      .specified(),
    domain: text(),
    price_cents: amount(),
    currency: currency(),
    created_at: time(),
    expires_at: time(),
  }),
);
