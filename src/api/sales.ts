import { z } from 'zod';
import { get, post } from '../http/endpoint.ts';
import {
  buyer,
  cents,
  currencyCode,
  domainName,
  emailAddress,
  pageQuery,
  requiredText,
  timeRangeQuery,
  webAddress,
} from '../http/fields.ts';
import { checkoutSession } from '../market/checkout/session.ts';
import { checkoutUrl, createSession } from '../market/checkout/sessions.ts';
import { hasBehavior } from '../market/inventory/magic-domains.ts';
import { refund, refundOrder } from '../market/orders/move-order.ts';
import { order, orderDetail, orderPage } from '../market/orders/order.ts';
import { listOrders, requireOwnOrder, withTimeline } from '../market/orders/orders.ts';
import { placeOrder } from '../market/orders/place-order.ts';
import { createQuote, quote, quoteToken } from '../market/quotes.ts';
import { ORDER_STATUSES } from '../store/schema/order-states.ts';
import { UNLISTED } from './domains.ts';

/** Fields that an order without a quote requires. */
const REQUIRED_WITHOUT_QUOTE = ['domain', 'currency', 'buyer'] as const;

const orderBody = () =>
  z
    .object({
      domain: domainName().nullish(),
      expected_price: cents().nullish(),
      sale_price_cents: cents().nullish(),
      currency: currencyCode().nullish(),
      buyer: buyer().nullish(),
      return_url: webAddress().nullish(),
      cancel_url: webAddress().nullish(),
      quote_id: requiredText().nullish(),
      external_payment_ref: requiredText(255).nullish(),
    })
    .superRefine((sale, context) => {
      const addIssue = (field: string, message: string) =>
        context.addIssue({ code: 'custom', path: [field], message });
      const prices = [sale.expected_price, sale.sale_price_cents].filter((price) => price != null);
      if (prices.length === 2 && prices[0] !== prices[1]) {
        addIssue('sale_price_cents', 'differs from expected_price');
      }
      if (sale.quote_id != null) {
        if (sale.external_payment_ref == null) {
          addIssue('external_payment_ref', 'is required with quote_id');
        }
        return;
      }
      const message = 'is required, unless quote_id is given';
      for (const field of REQUIRED_WITHOUT_QUOTE) if (sale[field] == null) addIssue(field, message);
      if (prices.length === 0) addIssue('expected_price', message);
    });

export const postOrder = post('/api/partner/v1/orders', {
  group: 'Partner-collected sales',
  summary: 'Records a partner-collected sale; event order.recorded follows.',
  scopes: ['buy'],
  rateClass: 'write',
  idempotent: true,
  body: orderBody,
  chosenInputs: ['sale_price_cents'],
  choiceNote:
    'Required are `domain`, `expected_price`, `currency` and `buyer`, or `quote_id` and `external_payment_ref`. `expected_price` is in cents, and `sale_price_cents` is its alias. With a quote, other fields must match it. Only a recorded sale binds the Idempotency-Key, which is kept 24 h of sandbox time.',
  errors: {
    validation_error:
      'A field is missing or malformed, there is neither a price nor a quote, the currency differs from that of the listing, or the quote is not a quote of this partner.',
    missing_idempotency_key: '',
    not_found: UNLISTED,
    conflict:
      'The Idempotency-Key was used with another body, the domain is reserved by a quote of another partner, or the quote was used by another order.',
    price_mismatch: '',
    quote_expired: '',
  },
  status: 201,
  response: order,
  handle: ({ tx, owner, body }) => placeOrder(tx, owner, body),
  losesResponse: ({ environment, domain }) => hasBehavior(environment, domain, 'lost_response'),
});

export const getOrders = get('/api/partner/v1/orders', {
  group: 'Partner-collected sales',
  summary: "List of the partner's orders, newest first.",
  scopes: ['buy', 'search'],
  query: () =>
    z.object({
      status: z.enum(ORDER_STATUSES).optional().describe('Only orders in this state.'),
      domain: domainName().optional(),
      ...timeRangeQuery(),
      ...pageQuery(),
    }),
  chosenInputs: ['from', 'to'],
  choiceNote: 'Either scope is enough. `created_at` is at or after `from` and before `to`.',
  response: orderPage,
  handle({ tx, owner, query: { cursor, limit, ...filter } }) {
    return listOrders(tx, owner, filter, { cursor, limit });
  },
});

export const getOrder = get('/api/partner/v1/orders/:public_id', {
  group: 'Partner-collected sales',
  summary: 'Order with transfer/fulfilment status and timeline.',
  scopes: ['buy', 'search'],
  choiceNote: 'Either scope is enough.',
  errors: {
    not_found: 'The partner has no such order.',
  },
  response: orderDetail,
  handle({ tx, owner, params }) {
    return withTimeline(tx, requireOwnOrder(tx, owner, params.public_id));
  },
});

export const postRefund = post('/api/partner/v1/refunds', {
  group: 'Settlement, history, refunds',
  summary: 'Refund/clawback request; allowed only before TRANSFER_COMPLETED.',
  scopes: ['buy'],
  body: () => z.object({ public_id: requiredText(100), reason: requiredText(500).nullish() }),
  chosenInputs: ['public_id', 'reason'],
  choiceNote: "A refunded order's domain is listed again.",
  errors: {
    not_found: 'The partner has no such order.',
    conflict: 'The order is TRANSFER_COMPLETED, SETTLED, REFUNDED or CANCELLED.',
  },
  status: 201,
  response: refund,
  handle({ tx, owner, body }) {
    const ownOrder = requireOwnOrder(tx, owner, body.public_id);
    return { ...refundOrder(tx, ownOrder, body.reason ?? null), order: ownOrder };
  },
});

export const postQuote = post('/api/partner/v1/quotes', {
  group: 'Partner-collected sales',
  summary: 'Firm price, 10-minute reservation, signed quote_id.',
  scopes: ['buy'],
  rateClass: 'write',
  body: () => z.object({ domain: domainName() }),
  chosenInputs: ['domain'],
  choiceNote:
    'A live quote reserves the domain for its partner; another partner that quotes or orders it gets a `conflict`. The same partner may quote it again.',
  errors: {
    not_found: UNLISTED,
    conflict: 'The domain is reserved by a live quote of another partner.',
  },
  status: 201,
  response: quote,
  handle({ tx, owner, body }) {
    const newQuote = createQuote(tx, owner, body.domain);
    return { ...newQuote, token: quoteToken(tx, newQuote) };
  },
});

export const postCheckoutSession = post('/api/partner/v1/checkout-session', {
  group: 'Marketplace-collected sales',
  summary: 'checkout_url with signed pt token; valid 7 days. Redirect the buyer to it.',
  scopes: ['embed'],
  rateClass: 'write',
  body: () =>
    z.object({
      domain: domainName(),
      buyer_email: emailAddress().nullish(),
      return_url: webAddress().nullish(),
      cancel_url: webAddress().nullish(),
      link_id: requiredText(100).nullish(),
    }),
  chosenInputs: ['domain', 'buyer_email', 'return_url', 'cancel_url', 'link_id'],
  choiceNote:
    'Creating a session reserves nothing. When the buyer has paid or cancelled, the page redirects to `return_url` or `cancel_url` with `session_id` appended. No event announces the payment: `GET /transactions` lists the sale.',
  errors: { not_found: UNLISTED },
  status: 201,
  response: checkoutSession,
  handle({ tx, owner, body, baseUrl }) {
    const session = createSession(tx, owner, body);
    return { ...session, url: checkoutUrl(tx, session, baseUrl) };
  },
});
