import { describe, expect, test } from 'vitest';
import type { InProcessSandbox, Key } from '../../src/index.ts';
import { ask, got } from '../support/calls.ts';
import { magic, mint, type Order, type OrderDetail, orderFor } from '../support/orders.ts';
import { invalid, rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';

const RESOLD = magic('held-order', 250_000);

interface Page {
  orders: Order[];
  next_cursor: string | null;
}

function page(at: InProcessSandbox, query = '', key?: Key): Promise<Page> {
  return got<Page>(at, `/orders${query && `?${query}`}`, key);
}

const ids = ({ orders }: Page) => orders.map((order) => order.public_id);

/** A sandbox with `count` orders, their ids newest first. */
async function withOrders(count: number): Promise<{ at: InProcessSandbox; newestFirst: string[] }> {
  const at = await sandbox({ rateLimits: false });
  const made: string[] = [];
  for (let n = 0; n < count; n += 1) made.push((await orderFor(at, RESOLD)).public_id);
  return { at, newestFirst: made.reverse() };
}

describe('the list', () => {
  test('returns orders newest first, as they were recorded', async () => {
    const at = await sandbox();
    const first = await orderFor(at, 0);
    const second = await orderFor(at, 1);
    expect(await page(at)).toEqual({ orders: [second, first], next_cursor: null });
  });

  test('has 25 on a page by default', async () => {
    const { at, newestFirst } = await withOrders(26);
    const first = await page(at);
    expect(ids(first)).toEqual(newestFirst.slice(0, 25));
    const second = await page(at, `cursor=${first.next_cursor}`);
    expect(ids(second)).toEqual(newestFirst.slice(25));
    expect(second.next_cursor).toBeNull();
  });

  test('does not repeat or skip when orders are recorded while it is walked', async () => {
    const { at, newestFirst } = await withOrders(6);
    const first = await page(at, 'limit=2');
    await orderFor(at, RESOLD);
    const second = await page(at, `limit=2&cursor=${first.next_cursor}`);
    await orderFor(at, RESOLD);
    const third = await page(at, `limit=10&cursor=${second.next_cursor}`);
    expect([first, second, third].flatMap(ids)).toEqual(newestFirst);
  });
});

describe('a cursor', () => {
  test('of a list of the control API is rejected', async () => {
    const { at } = await withOrders(2);
    await mint(at);
    for (const list of ['/orders', '/events', '/credentials']) {
      const { next_cursor } = await at.control.get<Page>(list, { limit: 1 });
      expect(next_cursor).toBeTruthy();
      expect((await ask(at, `/orders?cursor=${next_cursor}`)).status).toBe(400);
    }
  });
});

describe('filters', () => {
  test('by status show what is in that state now', async () => {
    const at = await sandbox();
    const [a, b, c] = [await orderFor(at, 0), await orderFor(at, 1), await orderFor(at, RESOLD)];
    await at.control.post(`/orders/${b.public_id}/advance`, { action: 'start_transfer' });
    expect(ids(await page(at, 'status=EXTERNALLY_PAID'))).toEqual([a.public_id]);
    expect(ids(await page(at, 'status=TRANSFER_IN_PROGRESS'))).toEqual([b.public_id]);
    expect(ids(await page(at, 'status=MANUAL_REVIEW'))).toEqual([c.public_id]);
    for (const status of ['TRANSFER_COMPLETED', 'SETTLED', 'REFUNDED', 'CANCELLED']) {
      expect(ids(await page(at, `status=${status}`))).toEqual([]);
    }
  });

  test('by domain take its other spellings', async () => {
    const at = await sandbox();
    const sold = await seededListing();
    const { public_id } = await orderFor(at, sold);
    await orderFor(at, 1);
    expect(ids(await page(at, `domain=${sold.domain}`))).toEqual([public_id]);
    expect(ids(await page(at, `domain=${sold.domain.toUpperCase()}.`))).toEqual([public_id]);
    expect(ids(await page(at, 'domain=nobody-lists-this.com'))).toEqual([]);
  });

  test('by date include from and exclude to', async () => {
    const at = await sandbox();
    const first = await orderFor(at, 0);
    await at.control.post('/clock/set', { to: '2026-03-03T00:00:00.000Z' });
    const second = await orderFor(at, 1);
    await at.control.post('/clock/advance', { by: '1ms' });
    const third = await orderFor(at, 2);
    const [a, b, c] = [first, second, third].map((order) => order.public_id);
    const cases: [string, (string | undefined)[]][] = [
      ['from=2026-03-02', [c, b, a]],
      ['from=2026-03-03', [c, b]],
      ['from=2026-03-03T00:00:00.001Z', [c]],
      ['from=2026-03-03T00:00:00.002Z', []],
      ['to=2026-03-03', [a]],
      ['to=2026-03-03T00:00:00.001Z', [b, a]],
      ['to=2026-03-02T23:59:59.999999Z', [a]],
      ['to=2026-03-02', []],
      ['from=2026-03-02T09:00:00.000Z&to=2026-03-02T09:00:00.001Z', [a]],
      ['from=2026-03-02T10:00:00%2B01:00&to=2026-03-02T10:00:00.001%2B01:00', [a]],
      ['from=2026-03-04&to=2026-03-01', []],
    ];
    for (const [query, expected] of cases)
      expect(ids(await page(at, query)), query).toEqual(expected);
  });

  test.each([
    ['status', 'settled'],
    ['status', 'HELD'],
    ['domain', 'nodots'],
    ['from', 'yesterday'],
    ['from', '2026-02-30'],
    ['from', '2026-03-02T09:00:00'],
    ['to', '1772442000'],
  ])('%s may not be %j', async (name, value) => {
    const at = await sandbox();
    expect(await rejection(await ask(at, `/orders?${name}=${value}`))).toMatchObject(invalid(name));
  });

  test('may be given once each; what is unknown is ignored', async () => {
    const at = await sandbox();
    expect((await ask(at, '/orders?status=SETTLED&status=SETTLED')).status).toBe(400);
    expect((await ask(at, '/orders?limit=1&limit=2')).status).toBe(400);
    expect((await ask(at, '/orders?c=red&c=blue&public_id=x&__proto__=y')).status).toBe(200);
  });
});

describe('one order', () => {
  test('is shown with transfer status and timeline', async () => {
    const at = await sandbox();
    const order = await orderFor(at);
    await at.control.post('/clock/advance', { by: '1h' });
    await at.control.post(`/orders/${order.public_id}/advance`, { to: 'TRANSFER_COMPLETED' });
    const detail = await got<OrderDetail>(at, `/orders/${order.public_id}`);
    const moved = '2026-03-02T10:00:00.000Z';
    expect(detail).toEqual({
      ...order,
      status: 'TRANSFER_COMPLETED',
      updated_at: moved,
      transfer_status: 'completed',
      timeline: [
        { status: 'EXTERNALLY_PAID', at: order.created_at, event: 'order.recorded', note: null },
        { status: 'TRANSFER_IN_PROGRESS', at: moved, event: 'order.transfer_started', note: null },
        { status: 'TRANSFER_COMPLETED', at: moved, event: 'order.transfer_completed', note: null },
      ],
    });
  });

  test('is seen by every credential of its partner', async () => {
    const at = await sandbox();
    const { public_id } = await orderFor(at);
    for (const scope of ['buy', 'search']) {
      const sibling = await mint(at, { partner: 'local', scopes: [scope] });
      expect((await ask(at, `/orders/${public_id}`, sibling)).status).toBe(200);
      expect(ids(await page(at, '', sibling))).toEqual([public_id]);
    }
  });

  test.each(['ord_', 'x', '%20', '%22;--', '%2F', 'ORD_0000001NXFTXTCA4', 'o'.repeat(2_000)])(
    'called %s is not found',
    async (id) => {
      const at = await sandbox();
      await orderFor(at);
      const response = await ask(at, `/orders/${id}`);
      expect(await rejection(response)).toMatchObject({ status: 404, code: 'not_found' });
    },
  );
});
