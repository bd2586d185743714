import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/api/index.ts';
import type { InProcessSandbox, Key, PartnerRequest } from '../../src/index.ts';
import { ask, got, NO_ANALYTICS, send } from '../support/calls.ts';
import {
  brokerageInputFor,
  checkoutSale,
  deal,
  linkFor,
  RESOLD,
  settle,
} from '../support/money.ts';
import {
  mint,
  mintLive,
  type Order,
  orderBody,
  orderFor,
  quoteFor,
  requestOrder,
} from '../support/orders.ts';
import { deliveriesOf, register } from '../support/receiver.ts';
import { click } from '../support/referral.ts';
import { answered, rejection } from '../support/responses.ts';
import { sharedSandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';

const V1 = '/api/partner/v1';
const HOOK = 'http://127.0.0.1:9/owner';

/** All that partner A has, and that a stranger may have got hold of. */
interface Belongings {
  key: Key;
  /** Every list of A's, by path: its response, and a cursor into it. */
  lists: Map<string, { text: string; cursor: string | null }>;
  order: Order;
  /** The call that recorded it. */
  recorded: { body: object; idempotencyKey: string };
  quote: { quote_id: string; domain: string };
  link: { link_id: string };
  openCase: { case_id: string; domain: string };
  event: string;
  /** Ids, tokens and the buyer's name: what only A may ever read. */
  secrets: string[];
}

const LISTS = [
  '/orders',
  '/settlements',
  '/transactions',
  '/payouts',
  '/brokerage',
  '/links',
  '/me/sales',
  '/me/commissions',
  '/me/payouts',
];
const READS = [...LISTS, '/me/clicks', '/analytics', '/events'];

/** Two and more of everything, by a partner of its own. */
async function belongings(at: InProcessSandbox): Promise<Belongings> {
  const key = await mint(at, { partner: 'a', key_id: 'dmk_sandbox_a' });
  await register(at, HOOK, { key });
  const buyer = { email: 'secret-buyer@a.example', name: 'Secret Buyer' };
  const recorded = {
    body: orderBody(await seededListing(), { buyer }),
    idempotencyKey: 'key-of-a',
  };
  const sale = await requestOrder(at, recorded.body, { key, ...recorded });
  const order = await answered<Order>(sale, 201);
  const done = await orderFor(at, RESOLD, key);
  await at.control.post(`/orders/${done.public_id}/advance`, { to: 'TRANSFER_COMPLETED' });
  await settle(at);
  const link = await linkFor(at, { key });
  await click(at, await linkFor(at, { key }));
  for (const domain of ['one.example', 'two.example']) {
    const sales = [
      await deal(at, domain, 77_777, key),
      await checkoutSale(at, { key, link_id: link.link_id }),
    ];
    for (const { transaction_id } of sales) {
      await at.control.post(`/transactions/${transaction_id}/deliver`);
    }
    await at.control.post('/payouts/run');
  }
  const quote = await quoteFor(at, (await seededListing(1)).domain, key);
  const opened = await send(at, '/brokerage', brokerageInputFor('open.example'), key);
  const openCase = await answered<{ case_id: string; domain: string }>(opened, 201);
  const { events } = await got<{ events: { id: string }[] }>(at, '/events', key);
  const lists = new Map<string, { text: string; cursor: string | null }>();
  for (const path of LISTS) {
    const page = await got<{ next_cursor: string }>(at, `${path}?limit=1`, key);
    expect(page.next_cursor, `${path} holds more than one`).toBeTruthy();
    lists.set(path, { text: JSON.stringify(page), cursor: page.next_cursor });
  }
  const seen = await viewOf(at, key);
  const ids = seen.match(/\b(?:ord|evt|ptr|ref|cs|brk|lnk|txn|com|pay|stm)_[0-9a-z]{16}\b/g) ?? [];
  const secrets = [...new Set([...ids, quote.quote_id, buyer.email, buyer.name, HOOK])];
  return {
    key,
    lists,
    order,
    recorded,
    quote,
    link,
    openCase,
    event: events[0]?.id ?? '',
    secrets,
  };
}

/** All that a partner can read, byte for byte. */
async function viewOf(at: InProcessSandbox, key: Key): Promise<string> {
  const responses = [];
  for (const path of READS) {
    const response = await at.call({ method: 'GET', target: `${V1}${path}` }, key);
    expect(response.status).toBe(200);
    responses.push(await response.text());
  }
  return responses.join('\n');
}

/** What a stranger sends, and what comes of it: on the same side of the fence, and on the LIVE side. */
interface Attempt extends Omit<PartnerRequest, 'method' | 'target'> {
  /** Path and query below the endpoint's own; the endpoint's path when left out. */
  target?: string;
  responses: { sandbox: number; live: number };
  /** What a response of success must be. */
  exactly?: object;
}

const both = (status: number) => ({ sandbox: status, live: status });

/** A list of A's is empty for a stranger, and A's cursor into it is none. */
function list(path: string, name: string, more: object = {}) {
  return (a: Belongings): Attempt[] => [
    { responses: both(200), exactly: { [name]: [], next_cursor: null, ...more } },
    { target: `${path}?cursor=${a.lists.get(path)?.cursor}`, responses: both(400) },
  ];
}

const NOTHING = { count: 0, gmv_cents: 0, commission_cents: 0, currency: 'USD' };

/** One entry for every endpoint: what a stranger might try with A's belongings in hand. */
const ATTEMPTS: Record<string, (a: Belongings) => Attempt[]> = {
  'GET /domains/search': (a) => [
    { target: `/domains/search?q=${a.order.domain}`, responses: both(200) },
  ],
  'GET /domains/:name': (a) => [
    { target: `/domains/${a.order.domain}`, responses: both(404) },
    { target: `/domains/${a.quote.domain}`, responses: { sandbox: 200, live: 404 } },
  ],
  'GET /availability': (a) => [
    {
      target: `/availability?domain=${a.order.domain}`,
      responses: both(200),
      exactly: { domain: a.order.domain, available: false, price_cents: null, currency: null },
    },
  ],
  'GET /pricing': (a) => [{ target: `/pricing?domain=${a.order.domain}`, responses: both(404) }],
  'POST /quotes': (a) => [
    { body: { domain: a.quote.domain }, responses: { sandbox: 409, live: 404 } },
    { body: { domain: a.order.domain }, responses: both(404) },
  ],
  'POST /orders': (a) => [
    // A's own response must not replay for another credential.
    {
      body: a.recorded.body,
      headers: { 'Idempotency-Key': a.recorded.idempotencyKey },
      responses: both(404),
    },
    {
      body: { quote_id: a.quote.quote_id, external_payment_ref: 'pi' },
      headers: { 'Idempotency-Key': 'k' },
      responses: both(400),
    },
  ],
  'GET /orders': (a) => [
    ...list('/orders', 'orders')(a),
    {
      target: `/orders?domain=${a.order.domain}`,
      responses: both(200),
      exactly: { orders: [], next_cursor: null },
    },
  ],
  'GET /orders/:public_id': (a) => [
    { target: `/orders/${a.order.public_id}`, responses: both(404) },
  ],
  'POST /checkout-session': (a) => [
    { body: { domain: RESOLD.domain, link_id: a.link.link_id }, responses: both(400) },
    { body: { domain: a.order.domain }, responses: both(404) },
  ],
  'GET /settlements': (a) => [
    { responses: both(200) },
    { target: `/settlements?cursor=${a.lists.get('/settlements')?.cursor}`, responses: both(400) },
  ],
  'GET /transactions': list('/transactions', 'transactions', { totals: NOTHING }),
  'GET /payouts': list('/payouts', 'payouts'),
  'GET /brokerage': list('/brokerage', 'cases'),
  'POST /refunds': (a) => [{ body: { public_id: a.order.public_id }, responses: both(404) }],
  'GET /brokerage/eligibility': (a) => [
    // The specification shows every partner that a domain has an open case.
    { target: `/brokerage/eligibility?domain=${a.openCase.domain}`, responses: both(200) },
  ],
  'POST /brokerage': (a) => [
    { body: brokerageInputFor(a.openCase.domain), responses: { sandbox: 409, live: 201 } },
  ],
  'GET /brokerage/:case_id': (a) => [
    { target: `/brokerage/${a.openCase.case_id}`, responses: both(404) },
  ],
  'POST /links': () => [{ body: { kind: 'generic' }, responses: both(201) }],
  'GET /links': list('/links', 'links'),
  'GET /me/clicks': () => [
    { responses: both(200), exactly: { from: null, to: null, total_clicks: 0, days: [] } },
  ],
  'GET /me/sales': list('/me/sales', 'sales'),
  'GET /me/commissions': list('/me/commissions', 'commissions'),
  'GET /me/payouts': list('/me/payouts', 'payouts', { total_paid_cents: 0 }),
  'GET /analytics': () => [{ responses: both(200), exactly: NO_ANALYTICS }],
  'PUT /api/partner/webhooks': () => [
    { body: { url: 'http://127.0.0.1:9/stranger', secret: 's' }, responses: both(200) },
  ],
  'GET /events': (a) => [
    { responses: both(200), exactly: { events: [], next_cursor: null } },
    { target: `/events?after_id=${a.event}`, responses: both(400) },
  ],
};

test('every endpoint has an entry', () => {
  const declared = ENDPOINTS.map(({ method, path }) => `${method} ${path.replace(V1, '')}`);
  expect(Object.keys(ATTEMPTS).toSorted()).toEqual(declared.toSorted());
});

const STRANGERS: [string, 'sandbox' | 'live', (at: InProcessSandbox) => Promise<Key>][] = [
  ['another partner', 'sandbox', (at) => mint(at, { partner: 'b' })],
  ['the LIVE side of the same partner', 'live', (at) => mintLive(at, { partner: 'a' })],
  ['the LIVE side of another partner', 'live', (at) => mintLive(at, { partner: 'b' })],
];

describe.each(STRANGERS)('%s', async (_who, side, enter) => {
  const at = await sharedSandbox({ rateLimits: false });
  const a = await belongings(at);
  const stranger = await enter(at);
  await at.control.post('/snapshots', { name: 'entered' });
  const restore = () => at.control.post('/snapshots/entered/restore');
  const view = await viewOf(at, a.key);

  test.each(Object.keys(ATTEMPTS))('sees and touches nothing of A at %s', async (name) => {
    const [method = '', path = ''] = name.split(' ');
    for (const { target = path, responses, exactly, ...rest } of ATTEMPTS[name]?.(a) ?? []) {
      const whole = target.startsWith('/api/') ? target : V1 + target;
      const response = await at.call({ method, target: whole, ...rest }, stranger);
      const text = await response.text();
      expect(response.status, text).toBe(responses[side]);
      if (exactly) expect(JSON.parse(text)).toEqual(exactly);
      // A rejection may name what the stranger itself has sent.
      const sent = JSON.stringify([target, rest]);
      for (const secret of a.secrets) {
        if (!sent.includes(secret)) expect(text).not.toContain(secret);
      }
    }
    if (method === 'GET') return;
    expect(await viewOf(at, a.key)).toBe(view);
    await restore();
  });

  test('has changed nothing of A by reading', async () => {
    expect(await viewOf(at, a.key)).toBe(view);
  });

  test('is told of what is A’s as of what never was', async () => {
    const calls: [id: string, call: (id: string) => Promise<Response>][] = [
      [a.order.public_id, (id) => ask(at, `/orders/${id}`, stranger)],
      [a.order.public_id, (public_id) => send(at, '/refunds', { public_id }, stranger)],
      [a.openCase.case_id, (id) => ask(at, `/brokerage/${id}`, stranger)],
    ];
    for (const [id, call] of calls) {
      const never = await rejection(await call('never'));
      expect(await rejection(await call(id))).toEqual({
        ...never,
        message: never.message.replace('never', id),
      });
    }
  });

  test('has statements of its own, all zeros', async () => {
    const { settlements } = await got<{ settlements: object[] }>(at, '/settlements', stranger);
    for (const each of settlements) expect(each).toMatchObject({ order_count: 0 });
  });

  test('who registers a webhook gets nothing of A’s events, and A goes on getting them', async () => {
    await register(at, 'http://127.0.0.1:9/stranger', { key: stranger });
    await answered(await send(at, '/refunds', { public_id: a.order.public_id }, a.key), 201);
    const { events } = await got<{ events: { id: string }[] }>(at, '/events', a.key);
    const last = await deliveriesOf(at, { event_id: events.at(-1)?.id ?? '' });
    expect(last.map(({ url }) => url)).toEqual([HOOK]);
  });
});
