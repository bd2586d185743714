import { CodedError, validationError } from '../../kernel/errors.ts';
import { commissionCents } from '../../kernel/money.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import { COMMISSION_BASIS_POINTS } from '../defaults.ts';
import { markSold, requireForSale } from '../inventory/listings.ts';
import { hasBehavior } from '../inventory/magic-domains.ts';
import { assertLive, assertNotReserved, requireQuote, writeQuoteOrder } from '../quotes.ts';
import { recordOrder, startMagic } from './move-order.ts';
import type { OrderRow } from './orders.ts';

type Optional<Value> = Value | null | undefined;

/** A partner's sale, by price or by quote (specification, POST /orders). */
interface OrderInput {
  domain?: Optional<string>;
  expected_price?: Optional<number>;
  /** Alias of `expected_price`. */
  sale_price_cents?: Optional<number>;
  currency?: Optional<string>;
  quote_id?: Optional<string>;
  external_payment_ref?: Optional<string>;
  buyer?: Optional<{ email: string; name?: Optional<string>; country?: Optional<string> }>;
  return_url?: Optional<string>;
  cancel_url?: Optional<string>;
}

/**
 * Records a sale that the partner has charged for, and marks the domain as sold.
 * @throws validation_error, not_found, conflict, price_mismatch, quote_expired
 */
export function placeOrder(tx: Tx, owner: Owner, input: OrderInput): OrderRow {
  const terms =
    input.quote_id == null
      ? termsByPrice(tx, owner, input)
      : termsByQuote(tx, owner, input.quote_id, input);
  const order = recordOrder(tx, {
    id: tx.nextId('ord'),
    partnerId: owner.partnerId,
    environment: owner.environment,
    domain: terms.domain,
    salePriceCents: terms.priceCents,
    commissionCents: commissionCents(terms.priceCents, COMMISSION_BASIS_POINTS.partner_collected),
    currency: terms.currency,
    buyerEmail: input.buyer?.email ?? null,
    buyerName: input.buyer?.name ?? null,
    buyerCountry: input.buyer?.country ?? null,
    externalPaymentRef: input.external_payment_ref ?? null,
    quoteToken: input.quote_id ?? null,
    returnUrl: input.return_url ?? null,
    cancelUrl: input.cancel_url ?? null,
    createdAt: tx.now,
    updatedAt: tx.now,
    completedAt: null,
    statementId: null,
    transactionId: tx.nextId('txn'),
  });
  if (terms.quoteId) writeQuoteOrder(tx, { id: terms.quoteId, orderId: order.id });
  markSold(tx, owner.environment, order.domain);
  // The response shows the order as recorded; a magic domain moves it afterwards.
  startMagic(tx, order);
  return order;
}

interface SaleTerms {
  domain: string;
  priceCents: number;
  currency: string;
  quoteId?: string;
}

function termsByPrice(tx: Tx, owner: Owner, input: OrderInput): SaleTerms {
  const { domain } = input;
  // The schema of the body requires it, and a price.
  if (domain == null) throw validationError('domain: required if there is no quote_id');
  const listing = requireStillForSale(tx, owner, domain);
  assertCurrency(input.currency, listing.currency);
  assertNotReserved(tx, owner, domain);
  assertPrice(input, listing.priceCents, `the current price of ${domain}`);
  return { domain, priceCents: listing.priceCents, currency: listing.currency };
}

function termsByQuote(tx: Tx, owner: Owner, token: string, input: OrderInput): SaleTerms {
  const quote = requireQuote(tx, owner, token);
  const { id: quoteId, domain, priceCents, currency } = quote;
  if (input.domain != null && input.domain !== domain) {
    throw validationError(`domain: the quote is for ${domain}, not ${input.domain}`);
  }
  assertCurrency(input.currency, currency);
  assertLive(tx, quote);
  if (priceOf(input) != null) assertPrice(input, priceCents, 'the quote');
  requireStillForSale(tx, owner, domain);
  // No `assertNotReserved`: a live quote reserves the domain for its partner.
  return { domain, priceCents, currency, quoteId };
}

function requireStillForSale(tx: Tx, { environment }: Owner, domain: string) {
  if (hasBehavior(environment, domain, 'sold_meanwhile')) {
    throw new CodedError('not_found', `domain: ${domain} is not listed; another buyer was faster`);
  }
  return requireForSale(tx, environment, domain);
}

function assertCurrency(currency: Optional<string>, listingCurrency: string): void {
  if (currency != null && currency !== listingCurrency) {
    throw validationError(`currency: the domain is priced in ${listingCurrency}, not ${currency}`);
  }
}

function priceOf({ expected_price, sale_price_cents }: OrderInput): Optional<number> {
  return expected_price ?? sale_price_cents;
}

function assertPrice(input: OrderInput, current: number, source: string): void {
  const price = priceOf(input);
  if (price === current) return;
  const field = input.expected_price == null ? 'sale_price_cents' : 'expected_price';
  throw new CodedError(
    'price_mismatch',
    `${field}: ${price} does not match ${source}, ${current} cents`,
  );
}
