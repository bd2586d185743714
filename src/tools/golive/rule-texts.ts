import { groupOf } from './item.ts';

interface RuleText {
  met: string;
  /** Undefined if it cannot be contradicted. */
  contradicted?: string;
}

const FAMILIES: Readonly<Record<string, RuleText>> = {
  call: { met: 'A request was accepted.' },
  error: { met: 'A response had this code.' },
  event: { met: 'A delivery of this type was acknowledged: 200 within 5 s.' },
  status: {
    met: 'A response to a read, or an acknowledged delivery, showed an order in this status.',
  },
  list: {
    met: 'All pages were read: the first without a cursor, then each with the `next_cursor` just received, at least two, until it was null.',
  },
};

const BEHAVIORS: Readonly<Record<string, RuleText>> = {
  'request.fresh_nonce': {
    met: '20 requests of one client were admitted.',
    contradicted: 'A nonce was used twice.',
  },
  'request.clock': {
    met: '20 admitted requests of one client had a timestamp at most 30 s off.',
    contradicted: 'Three timestamps in a row were rejected.',
  },
  'request.query_encoding': {
    met: "An admitted query had a space and one of ! ' ( ) * or a non-ASCII character.",
    contradicted: 'A signature was wrong because of the query.',
  },
  'request.body_bytes': {
    met: 'An admitted body had a non-ASCII character.',
    contradicted: 'A signature was wrong because of the body.',
  },
  'request.secret_kept': {
    met: '20 admitted requests of one client did not contain a secret.',
    contradicted: 'A request contained the secret of a credential.',
  },
  'request.known_fields': {
    met: '20 admitted requests of one client had no unknown parameters or fields.',
    contradicted: 'An accepted request had an unknown parameter or field.',
  },
  'retry.after_429': {
    met: 'A retry began when Retry-After was over.',
    contradicted: 'Two retries in a row began earlier.',
  },
  'retry.after_500': {
    met: 'A retry began 100 ms or more after a 500.',
    contradicted: 'A request and its retries got 500 ten times within 2 s.',
  },
  'retry.after_closed': { met: 'A GET whose connection was closed was retried.' },
  'retry.skips_4xx': {
    met: 'A fault or a magic domain rejected a request with a 4xx that no retry can change.',
    contradicted: 'The same fault rejected three identical requests.',
  },
  'sale.quote_used': { met: 'An order with a `quote_id` was recorded.' },
  'sale.quote_renewed': {
    met: 'After `quote_expired`, an order was recorded with a new quote for the domain.',
    contradicted: 'The expired quote was sent twice more.',
  },
  'sale.price_refreshed': {
    met: 'After `price_mismatch`, an order for the domain was recorded at another price.',
    contradicted: 'Two retries got `price_mismatch` again.',
  },
  'sale.key_per_sale': {
    met: 'Two orders were recorded under different Idempotency-Keys.',
    contradicted: 'An Idempotency-Key was used with another body.',
  },
  'sale.retry_same_key': {
    met: 'After 429, 500 or no response, an order was retried with its Idempotency-Key.',
    contradicted: 'Under the same fault, an identical order came with another key.',
  },
  'sale.lost_response': {
    met: 'An order was recorded but got no response, and a retry with its key got the stored response.',
    contradicted:
      'Within 60 s, an identical order came with another key before the first key came again.',
  },
  'sale.not_available': {
    met: 'An order got `not_found`, or `conflict` because of the domain.',
    contradicted: 'Three retries got it again.',
  },
  'sale.refund_too_late': {
    met: 'A refund got `conflict`.',
    contradicted: 'Three more requests for the same order followed.',
  },
  'hook.status_200': {
    met: 'Five valid attempts were acknowledged.',
    contradicted: 'A valid attempt got a status from 201 to 399.',
  },
  'hook.in_time': {
    met: 'Five valid attempts were acknowledged.',
    contradicted: 'A valid attempt got no response within 5 s.',
  },
  'hook.rejects_forgery': {
    met: 'A forged attempt got another status than 200, and the next valid one was acknowledged.',
    contradicted: 'A forged attempt got 200.',
  },
  'hook.duplicate': {
    met: 'An event was acknowledged twice.',
    contradicted: 'An acknowledged event got another status than 200 when it came again.',
  },
  'hook.reordered': {
    met: 'An older event of an order was acknowledged after a newer one.',
    contradicted: 'The older event got another status than 200.',
  },
  'hook.tested': {
    met: 'A run of `webhooks test` had no failed or unseen required check.',
    contradicted: 'A required check failed.',
  },
  'history.resumed': {
    met: '`GET /events` began after an event that was not the last one just read.',
  },
  'history.caught_up': { met: '`GET /events` returned an event whose attempts had all failed.' },
  'money.statement_read': { met: '`GET /settlements` returned a closed statement.' },
  'money.payout_read': { met: '`GET /payouts` or `GET /me/payouts` returned a payout.' },
  'checkout.page_viewed': { met: 'The checkout page of a session was viewed.' },
  'checkout.sale_learned': {
    met: '`GET /transactions` or `GET /me/sales` returned a sale of a hosted checkout.',
  },
  'brokerage.eligibility_first': {
    met: 'A domain was eligible, and then a case was opened for it.',
  },
  'brokerage.deal_learned': {
    met: 'A completed case was read, or its event was acknowledged.',
  },
  'referral.clicks_read': { met: '`GET /links` or `GET /me/clicks` returned a click.' },
  'discovery.not_available': {
    met: 'A search returned nothing, or a domain was not available or not found.',
  },
};

export function ruleText(id: string): RuleText {
  return BEHAVIORS[id] ?? FAMILIES[groupOf(id)] ?? { met: '' };
}
