import { describe, expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { ask, got, send } from '../support/calls.ts';
import {
  eventTypes,
  magic,
  mintIn,
  mintLive,
  type Order,
  orderBody,
  quoteFor,
  readOrder,
  requestOrder,
  requestQuote,
  withOrder,
} from '../support/orders.ts';
import { answered, rejection } from '../support/responses.ts';
import { testRuntime } from '../support/runtime.ts';
import { sandbox, sandboxWithRuntime, sharedSandbox } from '../support/sandbox.ts';
import { isAvailable } from '../support/search.ts';

interface Pricing {
  buy_now_price_cents: number;
}

/** Every kind of call that can name a domain. */
const NAMING: [string, (at: InProcessSandbox, domain: string) => Promise<Response>][] = [
  ['detail', (at, domain) => ask(at, `/domains/${domain}`)],
  ['detail in capitals', (at, domain) => ask(at, `/domains/${domain.toUpperCase()}.`)],
  ['availability', (at, domain) => ask(at, `/availability?domain=${domain}`)],
  ['pricing', (at, domain) => ask(at, `/pricing?domain=${domain}`)],
  ['search', (at, domain) => ask(at, `/domains/search?q=${domain}`)],
  ['orders filter', (at, domain) => ask(at, `/orders?domain=${domain}`)],
  ['quote', (at, domain) => requestQuote(at, domain)],
  [
    'order',
    (at, domain) => requestOrder(at, orderBody({ domain, price_cents: 1, currency: 'USD' })),
  ],
  ['checkout session', (at, domain) => send(at, '/checkout-session', { domain })],
  ['brokerage eligibility', (at, domain) => ask(at, `/brokerage/eligibility?domain=${domain}`)],
  [
    'brokerage case',
    (at, domain) =>
      send(at, '/brokerage', { domain, tier: 'managed', buyer_email: 'a@b.co', budget: 1 }),
  ],
  ['referral link', (at, domain) => send(at, '/links', { kind: 'domain', domain })],
];

async function movingPrice(at: InProcessSandbox): Promise<number> {
  return (await got<Pricing>(at, '/pricing?domain=price-moves.test')).buy_now_price_cents;
}

test('price-moves.test rises by 1% after every read, so that a stale price is a mismatch', async () => {
  const at = await sandbox();
  expect(await movingPrice(at)).toBe(100_000);
  expect(await movingPrice(at)).toBe(101_000);
  for (const path of ['/domains/', '/availability?domain=', '/domains/search?q=']) {
    await got(at, `${path}price-moves.test`);
  }
  expect(await movingPrice(at)).toBe(105_101);
  const stale = orderBody(magic('price-moves', 105_101));
  expect(await rejection(await requestOrder(at, stale))).toMatchObject({
    status: 422,
    code: 'price_mismatch',
  });
  const current = orderBody(magic('price-moves', 106_152));
  await answered(await requestOrder(at, current), 201);
  await answered(await requestOrder(at, current), 201);
});

test('price-moves.test rises by a cent at least, and starts over at its floor price at least', async () => {
  const at = await sandbox();
  await at.control.patch('/inventory/price-moves.test', { price_cents: 40 });
  await movingPrice(at);
  expect(await movingPrice(at)).toBe(41);
  const highest = { price_cents: 100_000_000, floor_price_cents: 80_000_000 };
  await at.control.patch('/inventory/price-moves.test', highest);
  await movingPrice(at);
  expect(await movingPrice(at)).toBe(80_000_000);
});

test('quote-expires.test issues quotes that are already expired', async () => {
  const at = await sandbox();
  const quote = await quoteFor(at, 'quote-expires.test');
  expect(quote.expires_at <= quote.created_at).toBe(true);
  const sale = { quote_id: quote.quote_id, external_payment_ref: 'pi_1' };
  expect(await rejection(await requestOrder(at, sale))).toMatchObject({
    status: 422,
    code: 'quote_expired',
  });
  await answered(await requestOrder(at, orderBody(magic('quote-expires', 120_000))), 201);
});

test('held-order.test holds its orders right after recording', async () => {
  const at = await sandbox();
  for (let n = 0; n < 2; n += 1) {
    const response = await requestOrder(at, orderBody(magic('held-order', 250_000)));
    const order = await answered<Order>(response, 201);
    expect(order.status).toBe('EXTERNALLY_PAID');
    const now = await readOrder(at, order.public_id);
    expect(now).toMatchObject({ status: 'MANUAL_REVIEW', transfer_status: 'held' });
    expect(now.timeline.map(({ status, event }) => [status, event])).toEqual([
      ['EXTERNALLY_PAID', 'order.recorded'],
      ['MANUAL_REVIEW', null],
    ]);
    expect(await eventTypes(at, order.public_id)).toEqual(['order.recorded']);
  }
});

describe('auto-complete.test', () => {
  test('runs its orders through, one step per second of sandbox time', async () => {
    const { at, public_id, status } = await withOrder(magic('auto-complete', 199_900));
    expect(status).toBe('EXTERNALLY_PAID');
    const steps = [
      ['999ms', 'EXTERNALLY_PAID'],
      ['1ms', 'TRANSFER_IN_PROGRESS'],
      ['999ms', 'TRANSFER_IN_PROGRESS'],
      ['1ms', 'TRANSFER_COMPLETED'],
      ['1d', 'TRANSFER_COMPLETED'],
    ];
    for (const [by, expected] of steps) {
      await at.control.post('/clock/advance', { by });
      expect(await readOrder(at, public_id)).toMatchObject({ status: expected });
    }
    const { timeline } = await readOrder(at, public_id);
    expect(timeline.map(({ at: time, event }) => [time, event])).toEqual([
      ['2026-03-02T09:00:00.000Z', 'order.recorded'],
      ['2026-03-02T09:00:01.000Z', 'order.transfer_started'],
      ['2026-03-02T09:00:02.000Z', 'order.transfer_completed'],
    ]);
  });

  test('continues from the state of its order after a manual move, and stops when it is refunded', async () => {
    const at = await sandbox();
    const sale = orderBody(magic('auto-complete', 199_900));
    const moved = await answered<Order>(await requestOrder(at, sale), 201);
    const refunded = await answered<Order>(await requestOrder(at, sale), 201);
    await at.control.post(`/orders/${moved.public_id}/advance`, { to: 'TRANSFER_COMPLETED' });
    await at.control.post(`/orders/${refunded.public_id}/advance`, { action: 'refund' });
    await at.control.post('/clock/advance', { by: '1h' });
    expect(await readOrder(at, moved.public_id)).toMatchObject({ status: 'TRANSFER_COMPLETED' });
    expect(await readOrder(at, refunded.public_id)).toMatchObject({ status: 'REFUNDED' });
    expect(await eventTypes(at, refunded.public_id)).toEqual(['order.recorded', 'order.refunded']);
  });

  test('takes its next step one second after a manual move, from the state it is in then', async () => {
    const { at, public_id } = await withOrder(magic('auto-complete', 199_900));
    const move = (action: string) => at.control.post(`/orders/${public_id}/advance`, { action });
    await at.control.post('/clock/advance', { by: '500ms' });
    await move('start_transfer');
    await at.control.post('/clock/advance', { by: '999ms' });
    expect(await readOrder(at, public_id)).toMatchObject({ status: 'TRANSFER_IN_PROGRESS' });
    await at.control.post('/clock/advance', { by: '1ms' });
    expect(await readOrder(at, public_id)).toMatchObject({
      status: 'TRANSFER_COMPLETED',
      updated_at: '2026-03-02T09:00:01.500Z',
    });
  });

  test('goes on one second after its held order is cleared', async () => {
    const { at, public_id } = await withOrder(magic('auto-complete', 199_900));
    const move = (action: string) => at.control.post(`/orders/${public_id}/advance`, { action });
    await move('hold');
    expect(await at.control.get('/clock/upcoming')).toMatchObject({ upcoming: [] });
    await at.control.post('/clock/advance', { by: '1h' });
    expect(await readOrder(at, public_id)).toMatchObject({ status: 'MANUAL_REVIEW' });
    await move('clear');
    await at.control.post('/clock/advance', { by: '1d' });
    const { timeline } = await readOrder(at, public_id);
    expect(timeline.map(({ status, at: time }) => [status, time])).toEqual([
      ['EXTERNALLY_PAID', '2026-03-02T09:00:00.000Z'],
      ['MANUAL_REVIEW', '2026-03-02T09:00:00.000Z'],
      ['EXTERNALLY_PAID', '2026-03-02T10:00:00.000Z'],
      ['TRANSFER_IN_PROGRESS', '2026-03-02T10:00:01.000Z'],
      ['TRANSFER_COMPLETED', '2026-03-02T10:00:02.000Z'],
    ]);
  });

  test('a hundred and fifty times at once all get there', async () => {
    const at = await sandbox({ rateLimits: false });
    const sale = orderBody(magic('auto-complete', 199_900));
    await Promise.all(Array.from({ length: 150 }, () => requestOrder(at, sale)));
    await at.control.post('/clock/advance', { by: '2s' });
    const notStarted = { status: 'EXTERNALLY_PAID' };
    expect(await at.control.get('/orders', notStarted)).toMatchObject({ orders: [] });
  });
});

test('sold-meanwhile.test is listed and quoted, but cannot be ordered', async () => {
  const at = await sandbox();
  await got(at, '/domains/sold-meanwhile.test');
  const { quote_id } = await quoteFor(at, 'sold-meanwhile.test');
  const byPrice = orderBody(magic('sold-meanwhile', 149_900));
  const byQuote = { quote_id, external_payment_ref: 'pi_1' };
  for (const sale of [byPrice, byQuote]) {
    expect(await rejection(await requestOrder(at, sale))).toMatchObject({
      status: 404,
      code: 'not_found',
    });
  }
  expect(await eventTypes(at)).toEqual([]);
  await got(at, '/domains/sold-meanwhile.test');
});

test('reserved.test is listed, but always reserved by another partner', async () => {
  const at = await sandbox();
  await got(at, '/pricing?domain=reserved.test');
  for (const response of [
    await requestQuote(at, 'reserved.test'),
    await requestOrder(at, orderBody(magic('reserved', 175_000))),
  ]) {
    expect(await rejection(response)).toMatchObject({ status: 409, code: 'conflict' });
  }
});

describe('rate-limited.test', async () => {
  const at = await sharedSandbox({ rateLimits: false });

  test.each(NAMING)('is limited in a call for %s', async (_name, call) => {
    for (let n = 0; n < 2; n += 1) {
      expect(await rejection(await call(at, 'rate-limited.test'))).toMatchObject({
        status: 429,
        code: 'rate_limited',
        retryAfter: '2',
      });
    }
  });

  test('limits no call that does not name it', async () => {
    const at = await sandbox();
    await rejection(await requestQuote(at, 'rate-limited.test'));
    await answered(await requestQuote(at, 'held-order.test'), 201);
  });
});

test.each(NAMING)('server-error.test fails in a call for %s', async (_name, call) => {
  const at = await sandbox();
  expect(await rejection(await call(at, 'server-error.test'))).toMatchObject({
    status: 500,
    code: 'internal_error',
  });
  expect(await eventTypes(at)).toEqual([]);
});

describe('slow.test', () => {
  test.each(NAMING)('takes 3 s in a call for %s, and responds as usual', async (_name, call) => {
    const { at, runtime } = await sandboxWithRuntime();
    const slow = await call(at, 'slow.test');
    expect(runtime.elapsed).toEqual([3_000]);
    const quick = await call(at, 'held-order.test');
    expect(runtime.elapsed).toEqual([3_000]);
    expect(slow.status).toBe(quick.status);
  });
});

test('a request that slow.test delays while its world is deleted gets an error response', async () => {
  const { at, runtime } = await sandboxWithRuntime();
  const key = await mintIn(at, 'gone');
  runtime.sleep = () => at.control.delete('/worlds/gone');
  const response = await ask(at, '/pricing?domain=slow.test', key);
  expect(await rejection(response)).toMatchObject({ status: 404, code: 'not_found' });
});

describe('lost-response.test', () => {
  const sale = orderBody(magic('lost-response', 139_900));
  const call = { idempotencyKey: 'lost-and-found' };

  test('records the order, then cuts the connection; the retry finds it', async () => {
    const at = await sandbox();
    await expect(requestOrder(at, sale, call)).rejects.toThrow();
    expect(await eventTypes(at)).toEqual(['order.recorded']);
    const found = await answered<Order>(await requestOrder(at, sale, call), 201);
    const { public_id } = await readOrder(at, found.public_id);
    expect(public_id).toBe(found.public_id);
    expect(await eventTypes(at)).toEqual(['order.recorded']);
  });

  test('loses only the response of an order that is recorded', async () => {
    const at = await sandbox();
    const { quote_id } = await quoteFor(at, 'lost-response.test');
    const stale = orderBody(magic('lost-response', 1));
    expect(await rejection(await requestOrder(at, stale))).toMatchObject({
      code: 'price_mismatch',
    });
    const byQuote = { quote_id, external_payment_ref: 'pi_1' };
    await expect(requestOrder(at, byQuote, call)).rejects.toThrow();
    await answered(await requestOrder(at, byQuote, call), 201);
  });
});

describe.each(['active-site.test', 'open-case.test'])('%s', (domain) => {
  test('is unlisted', async () => {
    const at = await sandbox();
    expect(await got(at, `/availability?domain=${domain}`)).toEqual({
      domain,
      available: false,
      price_cents: null,
      currency: null,
    });
    for (const response of [
      await ask(at, `/domains/${domain}`),
      await ask(at, `/pricing?domain=${domain}`),
      await requestQuote(at, domain),
      await requestOrder(at, orderBody({ domain, price_cents: 500_000, currency: 'USD' })),
    ]) {
      expect(await rejection(response)).toMatchObject({ status: 404, code: 'not_found' });
    }
  });
});

test.each([
  ['price-moves', 100_000],
  ['quote-expires', 120_000],
  ['held-order', 250_000],
  ['auto-complete', 199_900],
  ['slow', 129_900],
] as const)(
  '%s.test can be sold over and over, and is listed again and again',
  async (name, price) => {
    const at = await sandbox({ runtime: testRuntime() });
    for (let n = 0; n < 3; n += 1) {
      await answered(await requestOrder(at, orderBody(magic(name, price))), 201);
    }
    const found = await got(at, `/availability?domain=${name}.test`);
    expect(found).toMatchObject({ available: true });
  },
);

test('LIVE has no magic: nothing of it is listed, limited, slow or broken', async () => {
  const { at, runtime } = await sandboxWithRuntime();
  const live = await mintLive(at);
  for (const name of ['rate-limited', 'server-error', 'slow', 'price-moves', 'reserved']) {
    const domain = `${name}.test`;
    expect(await isAvailable(at, domain, live)).toBe(false);
    expect(await rejection(await requestQuote(at, domain, live))).toMatchObject({
      code: 'not_found',
    });
  }
  expect(runtime.elapsed).toEqual([]);
});
