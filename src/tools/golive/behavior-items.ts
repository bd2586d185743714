import type { Feature, Level } from './item.ts';

interface Behavior {
  level: Level;
  title: string;
  needs: readonly (readonly Feature[])[];
  steps: readonly string[];
}

function must(title: string, steps: readonly string[], ...needs: Feature[]): Behavior {
  return behavior('must', title, steps, needs);
}

function advice(title: string, steps: readonly string[], ...needs: Feature[]): Behavior {
  return behavior('advice', title, steps, needs);
}

/** @param needs any of these features is enough */
function behavior(
  level: Level,
  title: string,
  steps: readonly string[],
  needs: readonly Feature[],
) {
  return { level, title, steps, needs: needs.length > 0 ? [needs] : [] };
}

const COMPLETE_ORDER = 'sandlot orders advance ID --to TRANSFER_COMPLETED';

export const BEHAVIORS: Readonly<Record<string, Behavior>> = {
  'request.fresh_nonce': must('Send a new nonce with each request', [
    'Create a nonce for each attempt, retries included. 20 requests show it.',
  ]),
  'request.clock': must('Send the current time', [
    'Send Unix seconds in X-Service-Timestamp. 20 requests show it. Check the clock with:',
    'sandlot doctor',
  ]),
  'request.query_encoding': must(
    'Sign a query with special characters',
    ['Search for `café (bar)!`.'],
    'discovery',
  ),
  'request.body_bytes': advice(
    'Sign a body with non-ASCII characters',
    ['Place an order for a buyer named `Zoë`.'],
    'sales',
  ),
  'request.secret_kept': must('Never send the secret', [
    'Keep the secret on your server. 20 requests without it show it.',
  ]),
  'request.known_fields': advice('Send only known fields and parameters', [
    'Send 20 requests without a warning. Read the warnings of a request with:',
    'sandlot requests show ID',
  ]),
  'retry.after_429': must('Wait for Retry-After before a retry', [
    'sandlot faults add --path P --status 429 --first 3',
    'Request this path. Retry after the seconds in Retry-After.',
  ]),
  'retry.after_500': must('Retry with a back-off after a 500', [
    'sandlot faults add --path P --code internal_error --first 2',
    'Request this path. Retry after at least 100 ms.',
  ]),
  'retry.after_closed': advice('Retry a GET whose connection was closed', [
    'sandlot faults add --method GET --path P --drop before --times 2',
    'Request this path. Retry.',
  ]),
  'retry.skips_4xx': advice('Do not retry an error that no retry can change', [
    'sandlot faults add --path P --code validation_error --first 3',
    'Request this path once.',
  ]),
  'sale.quote_used': must(
    'Record an order with a quote',
    ['Request POST /quotes, then POST /orders with its quote_id.'],
    'quotes',
  ),
  'sale.quote_renewed': must(
    'Get a new quote when one has expired',
    [
      'sandlot faults add --method POST --path /orders --code quote_expired --times 1',
      'Order with a quote. When it is rejected, get a new quote, and order with it.',
    ],
    'quotes',
  ),
  'sale.price_refreshed': must(
    'Order at the new price when it has changed',
    [
      'sandlot faults add --method POST --path /orders --delay 10s --times 1',
      'Order `held-order.test`. Within 10 s, run:',
      'sandlot inventory set-price held-order.test 2600',
      'When it is rejected with price_mismatch, read the new price, and order at it.',
    ],
    'price_orders',
  ),
  'sale.key_per_sale': must(
    'Use a new Idempotency-Key for each sale',
    ['Place two orders.'],
    'sales',
  ),
  'sale.retry_same_key': must(
    'Retry an order with the same Idempotency-Key',
    [
      'sandlot faults add --method POST --path /orders --code internal_error --first 2',
      'Place an order. Retry it with the same Idempotency-Key and body.',
    ],
    'sales',
  ),
  'sale.lost_response': must(
    'Find the order after a lost response',
    [
      'sandlot faults add --method POST --path /orders --drop after --times 1',
      'Place an order. Retry it with the same Idempotency-Key and body.',
      'Or order `lost-response.test` without the fault.',
    ],
    'sales',
  ),
  'sale.not_available': must(
    'Handle a domain that is not available any more',
    ['Order `sold-meanwhile.test` or `reserved.test`.'],
    'sales',
  ),
  'sale.refund_too_late': must(
    'Handle a refund that comes too late',
    [COMPLETE_ORDER, 'Refund this order with POST /refunds.'],
    'refunds',
  ),
  'hook.status_200': must(
    'Respond to webhooks with 200',
    ['Place two orders. Respond 200 to five webhooks.', COMPLETE_ORDER],
    'webhooks',
  ),
  'hook.in_time': must(
    'Respond to webhooks within 5 seconds',
    [
      'Place two orders. Respond to five webhooks first, and process them later.',
      COMPLETE_ORDER,
      'A test that blocks its own process, for example with execFileSync, blocks a receiver in it: wait without blocking.',
    ],
    'webhooks',
  ),
  'hook.rejects_forgery': must(
    'Reject a forged webhook, then accept the valid one',
    [
      'sandlot faults add --webhook corrupt_signature --times 1',
      'Place an order.',
      'sandlot clock advance 5s',
    ],
    'webhooks',
  ),
  'hook.duplicate': must(
    'Accept an event twice',
    ['sandlot events list', 'sandlot events resend ID', 'Respond 200 again.'],
    'webhooks',
  ),
  'hook.reordered': must(
    'Accept events out of order',
    ['Place an order.', 'sandlot faults add --webhook reorder --times 1', COMPLETE_ORDER],
    'webhooks',
  ),
  'hook.tested': advice(
    'Pass the tests of sandlot webhooks test',
    ['sandlot webhooks test --url URL --secret SECRET', 'Fix the checks that fail.'],
    'webhooks',
  ),
  'history.resumed': must(
    'Resume the event history where it ended',
    [
      'Run your job that reads GET /events twice. The second run passes the last event id as after_id.',
    ],
    'history',
  ),
  'history.caught_up': must(
    'Read events whose webhooks failed',
    [
      'sandlot faults add --webhook drop',
      'Place an order.',
      'sandlot idle',
      'Run your job that catches up with GET /events.',
      'sandlot faults clear',
    ],
    'webhooks',
  ),
  'money.statement_read': must(
    'Read a closed settlement statement',
    [COMPLETE_ORDER, 'sandlot settlements run', 'Read it with GET /settlements.'],
    'sales',
  ),
  'money.payout_read': advice(
    'Read a payout',
    [
      'sandlot transactions deliver ID',
      'sandlot payouts run',
      'Read it with GET /payouts or GET /me/payouts.',
    ],
    'checkout',
    'brokerage',
  ),
  'checkout.page_viewed': must(
    'Send a buyer to the checkout page',
    ['Create a session with POST /checkout-session. Open its checkout_url.'],
    'checkout',
  ),
  'checkout.sale_learned': must(
    'Read a sale of a hosted checkout',
    ['sandlot checkout pay ID', 'Read the sale with GET /transactions or GET /me/sales.'],
    'checkout',
  ),
  'brokerage.eligibility_first': must(
    'Check eligibility before opening a case',
    ['Request GET /brokerage/eligibility, then POST /brokerage for the same domain.'],
    'brokerage',
  ),
  'brokerage.deal_learned': must(
    'Learn of the deal of a brokerage case',
    ['sandlot brokerage advance ID --to COMPLETED', 'Read the case, or receive its webhook.'],
    'brokerage',
  ),
  'referral.clicks_read': advice(
    'Read the clicks on a referral link',
    ['Open the url of a link. Read its clicks with GET /links or GET /me/clicks.'],
    'referral',
  ),
  'discovery.not_available': advice(
    'Handle a domain that is not for sale',
    ['Ask for `active-site.test`.'],
    'discovery',
  ),
};
