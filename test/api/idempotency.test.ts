import { describe, expect, test } from 'vitest';
import {
  eventTypes,
  magic,
  mint,
  type Order,
  orderBody,
  quoteFor,
  requestOrder,
} from '../support/orders.ts';
import { answered, rejection } from '../support/responses.ts';
import { sandbox, sandboxOnDisk } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';
import { digestOf } from '../support/state-folder.ts';

/** Can be sold over and over, so that a second sale would be noticed. */
const RESOLD = magic('held-order', 250_000);
const SALE = JSON.stringify(orderBody(RESOLD));
const KEY = { idempotencyKey: 'key-1' };

describe('the Idempotency-Key', () => {
  test('must be there', async () => {
    const at = await sandbox();
    const target = '/api/partner/v1/orders';
    for (const headers of [{}, { 'Idempotency-Key': '' }]) {
      const response = await at.call({ method: 'POST', target, headers, body: SALE });
      expect(await rejection(response)).toMatchObject({
        status: 400,
        code: 'missing_idempotency_key',
      });
    }
    expect(await eventTypes(at)).toEqual([]);
  });

  test.each(['x', '~', 'k'.repeat(255), '00000000-0000-4000-8000-000000000000', 'a\'b"c'])(
    'may be %s',
    async (idempotencyKey) => {
      const at = await sandbox();
      await answered(await requestOrder(at, SALE, { idempotencyKey }), 201);
    },
  );

  test.each(['k'.repeat(256), 'two words', 'tab\tbed', 'caf\u00e9'])(
    'may not be %j',
    async (idempotencyKey) => {
      const at = await sandbox();
      const response = await rejection(await requestOrder(at, SALE, { idempotencyKey }));
      expect(response).toMatchObject({ status: 400, code: 'validation_error' });
      expect(response.message).toMatch(/^Idempotency-Key: /);
    },
  );

  test('means nothing to other endpoints', async () => {
    const at = await sandbox();
    const headers = { 'Idempotency-Key': 'same' };
    const ids = new Set<string>();
    for (let n = 0; n < 2; n += 1) {
      const body = { domain: 'held-order.test' };
      const target = '/api/partner/v1/quotes';
      const quote = await at.call({ method: 'POST', target, headers, body });
      ids.add((await answered<{ quote_id: string }>(quote, 201)).quote_id);
    }
    expect(ids.size).toBe(2);
  });
});

describe('the same key with the same body', () => {
  test('replays the response byte for byte, and nothing happens again', async () => {
    const { dataDir, at } = await sandboxOnDisk();
    const empty = digestOf(dataDir);
    const first = await requestOrder(at, SALE, KEY);
    const body = await first.text();
    const recorded = digestOf(dataDir);
    expect(recorded).not.toBe(empty);
    for (let n = 0; n < 3; n += 1) {
      const again = await requestOrder(at, SALE, KEY);
      expect(again.status).toBe(201);
      expect(again.headers.get('content-type')).toBe('application/json');
      expect(await again.text()).toBe(body);
    }
    expect(digestOf(dataDir)).toBe(recorded);
    expect(await eventTypes(at)).toEqual(['order.recorded']);
  });

  test('replays when the domain is sold, as it is by then', async () => {
    const at = await sandbox();
    const sale = orderBody(await seededListing());
    const body = await (await requestOrder(at, sale, KEY)).text();
    expect(await (await requestOrder(at, sale, KEY)).text()).toBe(body);
  });

  test('replays when the quote is used and long expired', async () => {
    const at = await sandbox();
    const { quote_id } = await quoteFor(at, (await seededListing()).domain);
    const sale = { quote_id, external_payment_ref: 'pi_1' };
    const body = await (await requestOrder(at, sale, KEY)).text();
    await at.control.post('/clock/advance', { by: '1h' });
    const again = await requestOrder(at, sale, KEY);
    expect(again.status).toBe(201);
    expect(await again.text()).toBe(body);
  });

  test('replays the sale as it was recorded, in any later state', async () => {
    const at = await sandbox();
    const sale = orderBody(await seededListing());
    const first = await requestOrder(at, sale, KEY);
    const body = await first.text();
    const { public_id } = JSON.parse(body) as Order;
    await at.control.post(`/orders/${public_id}/advance`, { action: 'refund' });
    const again = await requestOrder(at, sale, KEY);
    expect(await again.text()).toBe(body);
    expect(await eventTypes(at)).toEqual(['order.recorded', 'order.refunded']);
  });

  test('replays after a restart', async () => {
    const { dataDir, at: before } = await sandboxOnDisk();
    const body = await (await requestOrder(before, SALE, KEY)).text();
    await before.close();
    const after = await sandbox({ dataDir });
    expect(await (await requestOrder(after, SALE, KEY)).text()).toBe(body);
    expect(await eventTypes(after)).toEqual(['order.recorded']);
  });

  test('replays for 24 hours of sandbox time', async () => {
    const at = await sandbox();
    const { public_id } = await answered<Order>(await requestOrder(at, SALE, KEY), 201);
    await at.control.post('/clock/advance', { by: '86399999ms' });
    expect(await answered(await requestOrder(at, SALE, KEY), 201)).toMatchObject({ public_id });
    await at.control.post('/clock/advance', { by: '1ms' });
    const second = await answered<Order>(await requestOrder(at, SALE, KEY), 201);
    expect(second.public_id).not.toBe(public_id);
    // The new sale binds the key again.
    await at.control.post('/clock/advance', { by: '1h' });
    const { public_id: third } = await answered<Order>(await requestOrder(at, SALE, KEY), 201);
    expect(third).toBe(second.public_id);
  });

  test('twenty times at once records one sale and returns the same response twenty times', async () => {
    const at = await sandbox();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => requestOrder(at, SALE, KEY)),
    );
    expect(responses.map((response) => response.status)).toEqual(Array(20).fill(201));
    const bodies = await Promise.all(responses.map((response) => response.text()));
    expect(new Set(bodies).size).toBe(1);
    expect(await eventTypes(at)).toEqual(['order.recorded']);
    expect(await at.control.get('/orders')).toMatchObject({ orders: [{}], next_cursor: null });
  });
});

describe('the same key with another body', () => {
  test.each([
    ['another sale', JSON.stringify(orderBody(magic('auto-complete', 199_900)))],
    ['one blank more', `${SALE} `],
    ['its fields in another order', JSON.stringify({ currency: 'USD', ...orderBody(RESOLD) })],
    ['no valid sale', '{}'],
    ['no JSON', 'nonsense'],
    ['nothing', ''],
  ])('is a conflict: %s', async (_what, body) => {
    const { dataDir, at } = await sandboxOnDisk();
    await answered(await requestOrder(at, SALE, KEY), 201);
    const before = digestOf(dataDir);
    const response = await rejection(await requestOrder(at, body, KEY));
    expect(response).toMatchObject({ status: 409, code: 'conflict' });
    expect(response.message).toContain('Idempotency-Key');
    expect(digestOf(dataDir)).toBe(before);
    // The first body still replays.
    await answered(await requestOrder(at, SALE, KEY), 201);
  });

  test('twenty times at once records one sale, and the others conflict', async () => {
    const at = await sandbox();
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, n) => requestOrder(at, SALE + ' '.repeat(n), KEY)),
    );
    expect(responses.filter((response) => response.status === 201)).toHaveLength(1);
    expect(responses.filter((response) => response.status === 409)).toHaveLength(19);
    expect(await eventTypes(at)).toEqual(['order.recorded']);
  });

  test('is no conflict once the first is forgotten, also after a rejection', async () => {
    const at = await sandbox();
    await answered(await requestOrder(at, SALE, KEY), 201);
    await at.control.post('/clock/advance', { by: '25h' });
    const wrong = orderBody({ ...RESOLD, price_cents: 1 });
    expect(await rejection(await requestOrder(at, wrong, KEY))).toMatchObject({
      code: 'price_mismatch',
    });
    await answered(await requestOrder(at, `${SALE} `, KEY), 201);
  });
});

describe('a rejected attempt leaves its key free', () => {
  test.each<[string, object | string]>([
    ['price_mismatch', orderBody({ ...RESOLD, price_cents: 1 })],
    ['not_found', orderBody({ ...RESOLD, domain: 'nobody-lists-this.com' })],
    ['conflict', orderBody(magic('reserved', 175_000))],
    ['validation_error', {}],
    ['validation_error', 'nonsense'],
  ])('after %s', async (code, body) => {
    const at = await sandbox();
    expect(await rejection(await requestOrder(at, body, KEY))).toMatchObject({ code });
    expect(await rejection(await requestOrder(at, body, KEY))).toMatchObject({ code });
    await answered(await requestOrder(at, SALE, KEY), 201);
    expect(await rejection(await requestOrder(at, body, KEY))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('Idempotency-Key'),
    });
  });
});

describe('keys are kept apart', () => {
  test('by credential, even of one partner', async () => {
    const at = await sandbox();
    const sibling = await mint(at, { partner: 'local' });
    const stranger = await mint(at, { partner: 'stranger' });
    const ids = new Set<string>();
    for (const key of [at.credential, sibling, stranger]) {
      const order = await answered<Order>(await requestOrder(at, SALE, { key, ...KEY }), 201);
      ids.add(order.public_id);
    }
    expect(ids.size).toBe(3);
    await answered(await requestOrder(at, SALE, { key: stranger, ...KEY }), 201);
    expect(await eventTypes(at)).toHaveLength(3);
  });
});
