import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { InProcessSandbox, Key } from '../../src/index.ts';
import { walked } from '../support/calls.ts';
import { completedOrder, RESOLD, type Statement, settle, statements } from '../support/money.ts';
import { mint, type Order, orderFor, readOrder } from '../support/orders.ts';
import { sandbox } from '../support/sandbox.ts';

type Step =
  | { do: 'mint' | 'save' | 'restore' | 'reset' | 'settle all' }
  | { do: 'order' | 'sell' | 'settle one' | 'list statements'; partner: number }
  | { do: 'complete'; nth: number }
  | { do: 'pass'; by: string };

const partner = fc.nat(3);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constantFrom('sell' as const, 'order' as const), partner }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('complete' as const), nth: fc.nat(30) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      by: fc.constantFrom('9d', '31d', '100d'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('settle one' as const, 'list statements' as const),
      partner,
    }),
  },
  {
    weight: 8,
    arbitrary: fc
      .constantFrom('mint', 'mint', 'reset', 'reset', 'restore', 'save', 'settle all')
      .map((act) => ({ do: act }) as Step),
  },
);

interface Shop {
  at: InProcessSandbox;
  keys: Key[];
  partnerIds: string[];
  orders: string[];
  saved: boolean;
}

test('each completed order is in exactly one period, even if the clock is set back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const at = await sandbox({ rateLimits: false, inventory: 20 });
      const shop: Shop = {
        at,
        keys: [at.credential],
        partnerIds: ['ptr_local'],
        orders: [],
        saved: false,
      };
      for (const each of steps) {
        // No two steps at one moment: then the bounds of the periods alone say which one an order is in.
        await at.control.post('/clock/advance', { by: '1ms' });
        await take(shop, each);
      }
      await at.control.post('/clock/advance', { by: '400d' });
      for (const key of shop.keys) await everyOrderIsInOnePeriod(at, key);
      await at.control.post('/clock/advance', { by: '1ms' });
      await settle(at);
      for (const key of shop.keys) await everyOrderIsInOnePeriod(at, key, 'SETTLED');
      await at.close();
    }),
    { numRuns: 6 },
  );
});

async function take(shop: Shop, each: Step): Promise<void> {
  const { at, keys } = shop;
  switch (each.do) {
    case 'mint': {
      const minted = await mint(at, { partner: `partner ${keys.length}` });
      keys.push(minted);
      shop.partnerIds.push(minted.partner_id);
      return;
    }
    case 'order': {
      const { public_id } = await orderFor(at, RESOLD, keys[each.partner % keys.length]);
      shop.orders.push(public_id);
      return;
    }
    case 'sell':
      return void (await completedOrder(at, keys[each.partner % keys.length]));
    case 'complete': {
      const id = shop.orders[each.nth % Math.max(1, shop.orders.length)];
      // It may be completed already, or be lost by a restore.
      const completed = { to: 'TRANSFER_COMPLETED' };
      if (id) await at.control.post(`/orders/${id}/advance`, completed).catch(() => undefined);
      return;
    }
    case 'pass':
      return void (await at.control.post('/clock/advance', { by: each.by }));
    case 'list statements':
      return void (await statements(at, keys[each.partner % keys.length]));
    case 'settle one':
      return void (await settle(at, shop.partnerIds[each.partner % shop.partnerIds.length]));
    case 'settle all':
      return void (await settle(at));
    case 'save':
      await at.control.post('/snapshots', { name: 'kept', replace: true });
      shop.saved = true;
      return;
    case 'restore':
      if (shop.saved) await at.control.post('/snapshots/kept/restore');
      return;
    case 'reset':
      return at.reset();
  }
}

/** Checks bounds, counts and sums of every statement of a partner against its orders. */
async function everyOrderIsInOnePeriod(
  at: InProcessSandbox,
  key: Key,
  expectedStatus?: string,
): Promise<void> {
  const { rows } = await walked<Order>(at, '/orders', 'orders', { key });
  const details = await Promise.all(rows.map(({ public_id }) => readOrder(at, public_id)));
  const completed = details.flatMap((order) => {
    const entry = order.timeline.find(({ status }) => status === 'TRANSFER_COMPLETED');
    return entry ? [{ ...order, completedAt: entry.at }] : [];
  });
  const all = await statements(at, key);
  for (const [n, each] of all.entries()) {
    const next = all[n + 1];
    if (next) expect(next.period_start).toBe(each.period_end);
    const within = completed.filter(({ completedAt }) => isWithin(each, completedAt));
    const gross = within.reduce((sum, order) => sum + order.sale_price_cents, 0);
    expect(each).toMatchObject({
      order_count: within.length,
      gross_sold_cents: gross,
      commission_retained_cents: gross * 0.15,
      amount_owed_cents: gross * 0.85,
    });
    const status = each.status === 'CLOSED' ? 'SETTLED' : 'TRANSFER_COMPLETED';
    for (const order of within) expect(order.status).toBe(status);
  }
  for (const { public_id, completedAt, status } of completed) {
    expect(
      all.filter((each) => isWithin(each, completedAt)),
      public_id,
    ).toHaveLength(1);
    if (expectedStatus !== undefined) expect(status).toBe(expectedStatus);
  }
}

function isWithin({ period_start, period_end }: Statement, moment: string): boolean {
  return period_start <= moment && moment < period_end;
}

const MARCH = '2026-03-01T00:00:00.000Z';

test('the first period of a partner begins where a reset has set the clock back to', async () => {
  const at = await sandbox();
  await at.control.post('/clock/set', { to: '2026-06-10' });
  const late = await mint(at, { partner: 'late' });
  await at.reset();
  await completedOrder(at, late);
  await at.control.post('/clock/set', { to: '2026-07-10' });
  const all = await statements(at, late);
  expect(all.map(({ order_count }) => order_count)).toEqual([1, 0, 0, 0, 0]);
  expect(all[0]).toMatchObject({ period_start: MARCH });
});

test('the first period of a partner begins where a restore has set the clock back to', async () => {
  const at = await sandbox();
  await at.control.post('/snapshots', { name: 'march' });
  await at.control.post('/clock/set', { to: '2026-06-10' });
  const late = await mint(at, { partner: 'late' });
  await at.control.post('/snapshots/march/restore');
  await at.control.post('/clock/set', { to: '2026-07-10' });
  const all = await statements(at, late);
  expect(all).toHaveLength(5);
  expect(all[0]).toMatchObject({ period_start: MARCH });
});
