import { CodedError, validationError } from '../../kernel/errors.ts';
import { commissionCents } from '../../kernel/money.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import { COMMISSION_BASIS_POINTS } from '../defaults.ts';
import { markSold, requireListed } from '../inventory/listings.ts';
import { hasBehavior } from '../inventory/magic-domains.ts';
import { assertNotReserved, type Quote, requireLiveQuote, useQuote } from '../quotes.ts';
import { recordOrder } from './move-order.ts';
import type { OrderRow } from './orders.ts';

/** A partner's sale, by price or by quote (specification, POST /orders). */
interface OrderInput {
  domain?: string | undefined;
  priceCents?: number | undefined;
  /** The field that the partner gave the price in, for messages. */
  priceField?: string;
  currency?: string | undefined;
  quoteId?: string | undefined;
  externalPaymentRef?: string | undefined;
  buyer?: { email: string; name?: string | undefined; country?: string | undefined } | undefined;
  returnUrl?: string | undefined;
  cancelUrl?: string | undefined;
}

/**
 * Records a sale that the partner has charged for, and marks the domain as sold.
 * @throws validation_error, not_found, conflict, price_mismatch, quote_expired
 */
export function placeOrder(tx: Tx, seller: Owner, input: OrderInput): OrderRow {
  const agreed =
    input.quoteId === undefined
      ? agreedByPrice(tx, seller, input)
      : agreedByQuote(tx, requireLiveQuote(tx, seller, input.quoteId), input);
  const order = recordOrder(tx, {
    id: tx.nextId('ord'),
    partnerId: seller.partnerId,
    environment: seller.environment,
    domain: agreed.domain,
    salePriceCents: agreed.priceCents,
    commissionCents: commissionCents(agreed.priceCents, COMMISSION_BASIS_POINTS.partner_collected),
    currency: agreed.currency,
    buyerEmail: input.buyer?.email ?? null,
    buyerName: input.buyer?.name ?? null,
    buyerCountry: input.buyer?.country ?? null,
    externalPaymentRef: input.externalPaymentRef ?? null,
    quoteToken: input.quoteId ?? null,
    returnUrl: input.returnUrl ?? null,
    cancelUrl: input.cancelUrl ?? null,
    createdAt: tx.now,
    updatedAt: tx.now,
    completedAt: null,
    statementId: null,
    transactionId: tx.nextId('txn'),
  });
  if (agreed.quote) useQuote(tx, agreed.quote, order.id);
  markSold(tx, seller.environment, order.domain);
  return order;
}

interface Agreed {
  domain: string;
  priceCents: number;
  currency: string;
  quote?: Quote;
}

function agreedByPrice(tx: Tx, seller: Owner, input: OrderInput): Agreed {
  const { domain, priceCents } = input;
  if (domain === undefined || priceCents === undefined) {
    throw validationError('expected_price: required if there is no quote_id');
  }
  const listing = requireStillForSale(tx, seller, domain);
  assertNotReserved(tx, seller, listing);
  assertCurrency(input.currency, listing.currency);
  assertPrice(input, listing.priceCents, `the current price of ${domain}`);
  return { domain, priceCents: listing.priceCents, currency: listing.currency };
}

function agreedByQuote(tx: Tx, quote: Quote, input: OrderInput): Agreed {
  if (input.domain !== undefined && input.domain !== quote.domain) {
    throw validationError(`domain: the quote is for ${quote.domain}, not ${input.domain}`);
  }
  assertCurrency(input.currency, quote.currency);
  if (input.priceCents !== undefined) assertPrice(input, quote.priceCents, 'the quote');
  requireStillForSale(tx, quote, quote.domain);
  return { domain: quote.domain, priceCents: quote.priceCents, currency: quote.currency, quote };
}

function requireStillForSale(tx: Tx, { environment }: Owner, domain: string) {
  if (hasBehavior(environment, domain, 'sold_meanwhile')) {
    throw new CodedError('not_found', `domain: ${domain} is not listed; another buyer was faster`);
  }
  return requireListed(tx, environment, domain);
}

function assertCurrency(given: string | undefined, listed: string): void {
  if (given !== undefined && given !== listed) {
    throw validationError(`currency: the domain is priced in ${listed}, not ${given}`);
  }
}

function assertPrice(
  { priceCents, priceField = 'expected_price' }: OrderInput,
  current: number,
  what: string,
): void {
  if (priceCents !== current) {
    throw new CodedError(
      'price_mismatch',
      `${priceField}: ${priceCents} does not match ${what}, ${current}`,
    );
  }
}
