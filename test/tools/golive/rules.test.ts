import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../../src/api/index.ts';
import { EVENT_TYPES } from '../../../src/events/event-types.ts';
import { ORDER_STATUSES } from '../../../src/store/schema/order-states.ts';
import type { Activity, Operation, RequestActivity } from '../../../src/tools/golive/activity.ts';
import type { Result } from '../../../src/tools/golive/item.ts';
import { ITEMS } from '../../../src/tools/golive/items.ts';
import { type Observations, Observer } from '../../../src/tools/golive/observations.ts';
import type { Proof } from '../../../src/tools/golive/rule.ts';
import {
  activities,
  CLIENT,
  FAULT,
  MAGIC,
  type Make,
  OTHER_KEY,
  OTHER_PROGRAM,
  times,
} from './activities.ts';

interface Case {
  /** Left out if the reference integration shows it (clients/clients.test.ts). */
  met?: (make: Make) => Activity[];
  unmet?: (make: Make) => Activity[];
  /** Left out if an incorrect client shows it (clients/incorrect-clients.ts). */
  contradicted?: (make: Make) => Activity[];
  /** What comes close to a contradiction and is none. */
  notContradicted?: (make: Make) => Activity[];
}

interface Seen {
  item: string;
  result: Result;
  evidence: readonly Proof[];
}

/** What an observer sees in a series of activities, in order. */
function observationsOf(series: readonly (Activity | 'boundary')[]): Seen[] {
  const seen: Seen[] = [];
  const add: Observations['add'] = (item, result, _world, evidence) => {
    seen.push({ item, result, evidence });
  };
  const observer = new Observer('default', { add, used: new Set() });
  for (const activity of series) {
    if (activity === 'boundary') observer.reset();
    else observer.observe(activity);
  }
  observer.reset();
  return seen;
}

function observed(item: string, result: string, series: Activity[]): Seen[] {
  return observationsOf(series).filter((each) => each.item === item && each.result === result);
}

const order = (make: Make, more: Partial<RequestActivity> = {}) =>
  make.request('postOrder', {
    input: { domain: 'a.com', expected_price: 100, quote_id: null },
    idempotencyKey: 'k1',
    idempotency: 'new',
    recordedOrder: 'ord_1',
    ...more,
  });
const rejectedOrder = (
  make: Make,
  code: Parameters<Make['failed']>[1],
  more: Partial<RequestActivity> = {},
) =>
  make.failed('postOrder', code, {
    input: { domain: 'a.com', expected_price: 100, quote_id: null },
    idempotencyKey: 'k1',
    ...more,
  });
const limited = (make: Make, more: Partial<RequestActivity> = {}) =>
  make.failed('getOrders', 'rate_limited', { injectedBy: FAULT, retryAfterSeconds: 1, ...more });
const lostOrder = (make: Make, more: Partial<RequestActivity> = {}) =>
  order(make, { complete: false, injectedBy: FAULT, ...more });

const lateRefund = (make: Make, n: number) =>
  make.failed('postRefund', 'conflict', { input: { public_id: `ord_${n}` } });
const wronglySigned = (make: Make, operation: Operation, more: Partial<RequestActivity>) =>
  make.failed(operation, 'invalid_signature', more);
const read = (make: Make, operation: Operation, response: RequestActivity['response']) =>
  make.request(operation, { response });

/** The call of the control API that stores a receiver test. */
const tested = (make: Make, input: RequestActivity['input']) =>
  make.request('postReceiverTest', { api: 'control', input });

const LAST_PAGE = { next_cursor: null };

/** 20 requests of a client, and one too few. */
const HABIT: Case = {
  met: (make) => times(20, () => make.request('getOrders')),
  unmet: (make) => times(19, () => make.request('getOrders')),
};

const CASES: Record<string, Case> = {
  'request.fresh_nonce': {
    ...HABIT,
    notContradicted: (make) => [make.failed('getOrders', 'replay_detected', { injectedBy: FAULT })],
  },
  'request.clock': {
    ...HABIT,
    notContradicted: (make) => [
      ...times(2, () => make.failed('getOrders', 'invalid_timestamp')),
      make.request('getOrders'),
      make.failed('getOrders', 'invalid_timestamp'),
      make.failed('getOrders', 'invalid_timestamp', { client: OTHER_KEY }),
    ],
  },
  'request.query_encoding': {
    unmet: (make) => [
      make.request('searchDomains', { query: 'q=a%20b' }),
      make.request('searchDomains', { query: 'q=a!' }),
      make.failed('searchDomains', 'invalid_signature', { query: 'q=a%20!' }),
    ],
    notContradicted: (make) => [
      wronglySigned(make, 'searchDomains', { mistake: 'path_without_prefix' }),
      wronglySigned(make, 'searchDomains', { mistake: 'query_unsorted', injectedBy: FAULT }),
    ],
  },
  'request.body_bytes': {
    met: (make) => [make.request('postOrder', { hasNonAsciiBody: true })],
    unmet: (make) => [make.request('postOrder')],
    contradicted: (make) => [wronglySigned(make, 'postOrder', { mistake: 'body_hash_base64' })],
    notContradicted: (make) => [wronglySigned(make, 'postOrder', { mistake: 'query_unsorted' })],
  },
  'request.secret_kept': {
    ...HABIT,
    contradicted: (make) => [make.request('getOrders', { hasSecret: true })],
  },
  'request.known_endpoints': {
    ...HABIT,
    contradicted: (make) => [make.failed('getOrders', 'not_found', { failedCheck: 'route' })],
    notContradicted: (make) => [make.failed('getOrder', 'not_found', { failedCheck: 'rules' })],
  },
  'request.known_fields': {
    met: (make) => times(20, () => make.request('getOrders')),
    unmet: (make) =>
      times(20, () => make.request('getOrders', { complete: false, warnings: ['x: unknown'] })),
    contradicted: (make) => [make.request('getOrders', { warnings: ['x: unknown'] })],
  },
  'retry.after_429': {
    met: (make) => [limited(make), make.request('getOrders', { injectedBy: FAULT })],
    unmet: (make) => {
      const first = limited(make);
      make.pass(-100);
      return [first, make.request('getOrders', { injectedBy: FAULT })];
    },
    notContradicted: (make) => {
      // In flight together, and without a key or fault that proves a retry.
      const [first, second, third] = [limited(make), limited(make), limited(make)];
      const { startedAt } = first;
      const together = [first, second, third].map((each) => ({ ...each, startedAt }));
      make.hurry();
      const own = times(3, () => {
        make.hurry();
        return make.failed('getOrders', 'rate_limited', { retryAfterSeconds: 30 });
      });
      return [...together, ...own];
    },
  },
  'retry.after_500': {
    met: (make) => [
      make.failed('getOrders', 'internal_error', { injectedBy: FAULT }),
      make.request('getOrders', { injectedBy: FAULT }),
    ],
    unmet: (make) => {
      const first = make.failed('getOrders', 'internal_error', { injectedBy: FAULT });
      make.hurry();
      return [first, make.request('getOrders', { injectedBy: FAULT })];
    },
    notContradicted: (make) => [
      ...times(9, () => {
        make.hurry();
        return make.failed('getOrders', 'internal_error', { injectedBy: FAULT });
      }),
      ...times(10, () => make.failed('getOrder', 'internal_error', { injectedBy: FAULT })),
    ],
  },
  'retry.after_closed': {
    met: (make) => times(2, () => make.request('getOrder', { complete: false, injectedBy: FAULT })),
    unmet: (make) => [
      make.request('getOrder', { complete: false, injectedBy: FAULT }),
      make.request('getOrder'),
    ],
  },
  'retry.skips_4xx': {
    met: (make) => [make.failed('getOrder', 'not_found', { injectedBy: MAGIC })],
    unmet: (make) => [make.failed('getOrder', 'not_found')],
    notContradicted: (make) => [
      ...times(2, () => make.failed('getOrder', 'not_found', { injectedBy: FAULT })),
      ...times(3, () => make.failed('getOrder', 'not_found', { injectedBy: MAGIC })),
      make.failed('getOrder', 'not_found', { injectedBy: FAULT, query: 'other=1' }),
    ],
  },
  'sale.quote_used': {
    unmet: (make) => [order(make), rejectedOrder(make, 'conflict', { input: { quote_id: 'q1' } })],
  },
  'sale.quote_renewed': {
    met: (make) => [
      make.request('postQuote', { response: { quote_id: 'q1', domain: 'a.com' } }),
      rejectedOrder(make, 'quote_expired', { input: { quote_id: 'q1' } }),
      make.request('postQuote', { response: { quote_id: 'q2', domain: 'a.com' } }),
      order(make, { input: { quote_id: 'q2' } }),
    ],
    unmet: (make) => [
      make.request('postQuote', { response: { quote_id: 'q1', domain: 'a.com' } }),
      rejectedOrder(make, 'quote_expired', { input: { quote_id: 'q1' } }),
      make.request('postQuote', { response: { quote_id: 'q2', domain: 'b.com' } }),
      order(make, { input: { quote_id: 'q2' } }),
      make.request('postQuote', { response: { quote_id: 'q3', domain: 'a.com' } }),
    ],
    notContradicted: (make) => [
      ...times(2, () => rejectedOrder(make, 'quote_expired', { input: { quote_id: 'q1' } })),
      ...times(2, () => rejectedOrder(make, 'quote_expired', { input: { quote_id: 'q2' } })),
    ],
  },
  'sale.price_refreshed': {
    met: (make) => [
      rejectedOrder(make, 'price_mismatch'),
      order(make, { input: { domain: 'a.com', expected_price: 120 } }),
    ],
    unmet: (make) => [
      rejectedOrder(make, 'price_mismatch'),
      order(make),
      order(make, { input: { domain: 'b.com', expected_price: 120 } }),
    ],
    notContradicted: (make) => [
      ...times(2, () => rejectedOrder(make, 'price_mismatch')),
      // Another test sends the same body under its own key.
      ...times(3, (n) =>
        rejectedOrder(make, 'price_mismatch', { idempotencyKey: `own-${n}`, client: OTHER_KEY }),
      ),
    ],
  },
  'sale.key_per_sale': {
    met: (make) => [order(make), order(make, { idempotencyKey: 'k2', recordedOrder: 'ord_2' })],
    unmet: (make) => [
      order(make),
      order(make, { idempotency: 'replayed', recordedOrder: undefined }),
    ],
    notContradicted: (make) => [rejectedOrder(make, 'conflict', { failedCheck: 'rules' })],
  },
  'sale.retry_same_key': {
    met: (make) => [rejectedOrder(make, 'internal_error', { injectedBy: FAULT }), order(make)],
    unmet: (make) => [
      rejectedOrder(make, 'internal_error', { injectedBy: FAULT }),
      order(make, { idempotencyKey: 'k2' }),
    ],
    notContradicted: (make) => [
      rejectedOrder(make, 'internal_error', { injectedBy: MAGIC }),
      rejectedOrder(make, 'internal_error', { injectedBy: MAGIC, idempotencyKey: 'k2' }),
      // Two tests with equal data under one fault.
      ...['k3', 'k4', 'k3', 'k4'].map((idempotencyKey) =>
        rejectedOrder(make, 'internal_error', { injectedBy: FAULT, idempotencyKey }),
      ),
    ],
  },
  'sale.lost_response': {
    met: (make) => [lostOrder(make), order(make, { idempotency: 'replayed' })],
    unmet: (make) => [lostOrder(make), order(make, { idempotency: 'replayed', complete: false })],
    notContradicted: (make) => {
      const lost = lostOrder(make);
      const again = order(make, { idempotency: 'replayed', recordedOrder: undefined });
      const other = rejectedOrder(make, 'conflict', { idempotencyKey: 'k2' });
      const late = lostOrder(make, { client: OTHER_KEY });
      make.pass(60_000);
      return [
        ...[lost, again, other, late],
        rejectedOrder(make, 'conflict', { idempotencyKey: 'k2', client: OTHER_KEY }),
      ];
    },
  },
  'sale.not_available': {
    unmet: (make) => [rejectedOrder(make, 'conflict', { failedCheck: 'idempotency' })],
    contradicted: (make) =>
      times(4, () => rejectedOrder(make, 'not_found', { failedCheck: 'rules' })),
    notContradicted: (make) => [
      ...times(3, () => rejectedOrder(make, 'not_found', { failedCheck: 'rules' })),
      rejectedOrder(make, 'not_found', { failedCheck: 'rules', idempotencyKey: 'k2' }),
    ],
  },
  'sale.refund_too_late': {
    unmet: (make) => [make.failed('postRefund', 'not_found', { input: { public_id: 'ord_1' } })],
    contradicted: (make) => times(4, () => lateRefund(make, 1)),
    notContradicted: (make) => times(6, (n) => lateRefund(make, n % 2)),
  },
  'hook.status_200': {
    unmet: (make) => times(4, (n) => make.attempt(`evt_${n}`)),
    notContradicted: (make) => [
      make.attempt('evt_1', { outcome: 'bad_status', status: 500 }),
      make.attempt('evt_1', { outcome: 'bad_status', status: 301, isForged: true }),
      make.attempt('evt_1', { outcome: 'connection_refused', status: null }),
    ],
  },
  'hook.in_time': {
    unmet: (make) => times(4, (n) => make.attempt(`evt_${n}`)),
    notContradicted: (make) => [
      make.attempt('evt_1', { outcome: 'timeout', status: null, isForged: true }),
    ],
  },
  'hook.rejects_forgery': {
    unmet: (make) => [
      make.attempt('evt_1', { isForged: true, outcome: 'connection_refused', status: null }),
      make.attempt('evt_1'),
      make.attempt('evt_2', { isForged: true, outcome: 'bad_status', status: 401 }),
      make.attempt('evt_2', { outcome: 'bad_status', status: 401 }),
      make.attempt('evt_2'),
    ],
  },
  'hook.duplicate': {
    unmet: (make) => [make.attempt('evt_1'), make.attempt('evt_2')],
    notContradicted: (make) => [
      make.attempt('evt_1'),
      ...[null, 502, 503, 504].map((status) => make.attempt('evt_1', { outcome: 'down', status })),
      make.attempt('evt_1', { isForged: true, outcome: 'bad_status', status: 401 }),
      make.attempt('evt_2', { outcome: 'bad_status', status: 409 }),
    ],
  },
  'hook.reordered': {
    unmet: (make) => [
      ...['evt_1', 'evt_2', 'evt_1'].map((event) => make.attempt(event)),
      make.attempt('evt_0', { subject: 'ord_2' }),
    ],
    contradicted: (make) => [
      make.attempt('evt_2'),
      make.attempt('evt_1', { outcome: 'bad_status', status: 409 }),
    ],
    notContradicted: (make) => [
      make.attempt('evt_1', { outcome: 'bad_status', status: 500 }),
      make.attempt('evt_2', { outcome: 'timeout', status: null }),
      make.attempt('evt_3', { outcome: 'connection_reset', status: null }),
      make.attempt('evt_4'),
      make.attempt('evt_0', { outcome: 'bad_status', status: 503 }),
      ...[1, 2, 3].map((n) => make.attempt(`evt_${n}`, { outcome: 'bad_status', status: 409 })),
    ],
  },
  'hook.tested': {
    met: (make) => [tested(make, { url: 'http://a/' })],
    unmet: (make) => [tested(make, { unseen: ['sig-1'] })],
    contradicted: (make) => [tested(make, { failed: ['sig-1'] })],
  },
  'history.resumed': {
    unmet: (make) => [
      make.request('getEvents', { response: { next_cursor: 'evt_1' } }),
      make.request('getEvents', { query: 'after_id=evt_1' }),
      // The log keeps only the beginning of this one.
      make.request('getEvents', { response: { events: [] } }),
      make.request('getEvents', { query: 'after_id=evt_2' }),
      make.failed('getEvents', 'validation_error', { query: 'after_id=evt_9' }),
    ],
  },
  'history.caught_up': {
    unmet: (make) => [
      make.attempt('evt_1', { outcome: 'dropped', status: null }),
      make.attempt('evt_1'),
      make.attempt('evt_1', { outcome: 'dropped', status: null }),
      make.attempt('evt_2', { isForged: true }),
      make.request('getEvents', { response: { events: [{ id: 'evt_1' }, { id: 'evt_2' }] } }),
    ],
  },
  'money.statement_read': {
    unmet: (make) => [read(make, 'getSettlements', { settlements: [{ status: 'OPEN' }] })],
  },
  'money.payout_read': {
    met: (make) => [make.request('getMyPayouts', { response: { payouts: [{}] } })],
    unmet: (make) => [make.request('getPayouts', { response: { payouts: [] } })],
  },
  'checkout.page_viewed': { unmet: (make) => [make.request('postCheckoutSession')] },
  'checkout.sale_learned': {
    unmet: (make) => [
      read(make, 'getTransactions', { transactions: [{ payment_model: 'partner_collected' }] }),
    ],
  },
  'brokerage.eligibility_first': {
    met: (make) => [
      make.request('getEligibility', { response: { domain: 'x.com', eligible: true } }),
      make.request('postBrokerage', { input: { domain: 'X.com' }, response: { domain: 'x.com' } }),
    ],
    unmet: (make) => [
      make.request('getEligibility', { response: { domain: 'x.com', eligible: false } }),
      make.request('postBrokerage', { input: { domain: 'X.com' }, response: { domain: 'x.com' } }),
    ],
  },
  'brokerage.deal_learned': {
    unmet: (make) => [
      make.request('getCase', { response: { status: 'CLOSED' } }),
      make.attempt('evt_1', {
        type: 'brokerage.case_completed',
        outcome: 'bad_status',
        status: 500,
      }),
    ],
  },
  'referral.clicks_read': {
    met: (make) => [make.request('getMyClicks', { response: { total_clicks: 1 } })],
    unmet: (make) => [make.request('getLinks', { response: { links: [{ clicks: 0 }] } })],
  },
  'discovery.not_available': {
    met: (make) => [make.request('showAvailability', { response: { available: false } })],
    unmet: (make) => [make.request('searchDomains', { response: { domains: [{}] } })],
  },
  'call.getOrders': {
    unmet: (make) => [
      make.request('getOrders', { complete: false }),
      make.failed('getOrders', 'conflict'),
    ],
  },
  'error.not_found': { unmet: (make) => [make.failed('getOrder', 'conflict')] },
  'event.order.settled': {
    unmet: (make) => [
      make.attempt('evt_1', { type: 'order.settled', outcome: 'bad_status', status: 500 }),
    ],
  },
  'status.SETTLED': {
    unmet: (make) => [
      make.request('getTransactions', {
        response: { transactions: [{ status: 'SETTLED', order_public_id: null }] },
      }),
      make.request('getSettlements', { response: { status: 'SETTLED' } }),
    ],
  },
  'list.getOrders': {
    met: (make) => [
      make.request('getOrders', { query: 'limit=1', response: { next_cursor: 'c1' } }),
      // The log keeps only the beginning of this page.
      make.request('getOrders', { query: 'cursor=c1&limit=1', response: { orders: [] } }),
      make.request('getOrders', { query: 'cursor=c2&limit=1', response: LAST_PAGE }),
    ],
    unmet: (make) => [
      // One page; an invented cursor; the cursor of another client.
      make.request('getOrders', { response: LAST_PAGE }),
      make.request('getOrders', { query: 'limit=1', response: { next_cursor: 'c1' } }),
      make.request('getOrders', { query: 'cursor=c2&limit=1', response: LAST_PAGE }),
      make.request('getOrders', { query: 'cursor=c1', response: LAST_PAGE, client: OTHER_KEY }),
      // The log keeps only the beginning of the last page.
      make.request('getOrders', { query: 'limit=3', response: { next_cursor: 'c1' } }),
      make.request('getOrders', { query: 'cursor=c1&limit=3', response: { orders: [] } }),
    ],
  },
};

describe.each(Object.entries(CASES))(
  '%s',
  (item, { met, unmet, contradicted, notContradicted }) => {
    if (met) {
      test('is met by right behavior, with its evidence', () => {
        const [first] = observed(item, 'met', met(activities()));
        expect(first?.evidence.length).toBeGreaterThan(0);
      });
    }

    test('is not met by less than that', () => {
      const series = unmet?.(activities()) ?? [];
      expect(series.length).toBeGreaterThan(0);
      expect(observed(item, 'met', series)).toEqual([]);
    });

    if (contradicted) {
      test('is contradicted by wrong behavior', () => {
        expect(observed(item, 'contradicted', contradicted(activities()))).toHaveLength(1);
      });
    }

    if (notContradicted) {
      test('is not contradicted without proof', () => {
        expect(observed(item, 'contradicted', notContradicted(activities()))).toEqual([]);
      });
    }
  },
);

test('each behavior item has cases', () => {
  const isOfFamily = (id: string) => /^(call|error|event|status|list)\./.test(id);
  const behaviors = ITEMS.map(({ id }) => id).filter((id) => !isOfFamily(id));
  expect(behaviors.filter((id) => !(id in CASES))).toEqual([]);
  expect(behaviors).toHaveLength(35);
});

test('the items are those of the specification: 90, of which 70 are required', () => {
  expect(ITEMS).toHaveLength(90);
  expect(ITEMS.filter(({ level }) => level === 'must')).toHaveLength(70);
  expect(new Set(ITEMS.map(({ id }) => id)).size).toBe(90);
});

test('each operation, event type and order status has an item', () => {
  const ids = new Set(ITEMS.map(({ id }) => id));
  for (const { name } of ENDPOINTS) expect(ids).toContain(`call.${name}`);
  for (const type of EVENT_TYPES) expect(ids).toContain(`event.${type}`);
  for (const status of ORDER_STATUSES) expect(ids).toContain(`status.${status}`);
});

/** The observations of a series in which these clients take turns, each with the clients of its evidence. */
function takingTurns(series: Activity[], clients: readonly string[]) {
  const byId = new Map<string, string>();
  const turns = series.map((activity, n) => {
    if (!('client' in activity)) return activity;
    const client = clients[n % clients.length] ?? CLIENT;
    byId.set(activity.id, client);
    return { ...activity, client };
  });
  return observationsOf(turns).map(({ item, result, evidence }) => ({
    item,
    result,
    clients: new Set(evidence.flatMap((piece) => byId.get(('id' in piece && piece.id) || '') ?? []))
      .size,
  }));
}

describe.each([OTHER_KEY, OTHER_PROGRAM])('two clients, %s the second', (other) => {
  test.each(Object.entries(CASES))('are never both evidence of one observation: %s', (_, all) => {
    for (const series of [all.met, all.unmet, all.contradicted, all.notContradicted]) {
      const turns = takingTurns(series?.(activities()) ?? [], [CLIENT, other]);
      for (const { item, result, clients } of turns) {
        expect([item, result, clients]).toEqual([item, result, Math.min(clients, 1)]);
      }
    }
  });

  test.each([
    ...['sale.quote_renewed', 'sale.price_refreshed', 'sale.key_per_sale', 'sale.retry_same_key'],
    ...['sale.lost_response', 'retry.after_429', 'retry.after_500', 'retry.after_closed'],
    ...['brokerage.eligibility_first', 'list.getOrders', 'request.fresh_nonce'],
    ...['request.clock', 'request.secret_kept', 'request.known_fields'],
  ])('do not meet together what takes several requests: %s', (id) => {
    const series = () => CASES[id]?.met?.(activities()) ?? [];
    const isMet = (clients: string[]) =>
      takingTurns(series(), clients).some(({ item, result }) => item === id && result === 'met');
    expect([isMet([CLIENT]), isMet([CLIENT, other])]).toEqual([true, false]);
  });
});

test('nothing before a boundary relates to anything after it', () => {
  const make = activities();
  const other = rejectedOrder(make, 'conflict', { idempotencyKey: 'k2' });
  const seen = observationsOf([lostOrder(make), 'boundary', other]);
  expect(seen.filter(({ result }) => result === 'contradicted')).toEqual([]);
});
