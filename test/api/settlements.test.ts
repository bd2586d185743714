import { describe, expect, test } from 'vitest';
import type { InProcessSandbox, Key } from '../../src/index.ts';
import { got } from '../support/calls.ts';
import {
  checkoutSale,
  completedOrder,
  deal,
  RESOLD,
  type Statement,
  settle,
  statements,
} from '../support/money.ts';
import { eventTypes, mint, mintLive, orderFor, readOrder, withOrder } from '../support/orders.ts';
import { sandbox } from '../support/sandbox.ts';
import { watched } from '../support/unchanged.ts';

const START = '2026-03-02T09:00:00.000Z';
const APRIL = '2026-04-01T00:00:00.000Z';

/** What RESOLD at 15% comes to, so many times. */
function sums(count: number) {
  return {
    order_count: count,
    gross_sold_cents: count * 250_000,
    commission_retained_cents: count * 37_500,
    amount_owed_cents: count * 212_500,
  };
}

function bounds(list: readonly Statement[]): string[][] {
  return list.map((each) => [each.period_start, each.period_end, each.status]);
}

/** Holds that periods follow each other without gaps, and every statement adds up. */
function expectUnbroken(list: readonly Statement[]): void {
  for (const [n, each] of list.entries()) {
    expect(each.period_end >= each.period_start).toBe(true);
    const next = list[n + 1];
    if (next) expect(next.period_start).toBe(each.period_end);
    const owed = each.gross_sold_cents - each.commission_retained_cents;
    expect(Object.is(each.amount_owed_cents, owed)).toBe(true);
  }
}

async function setClock(at: InProcessSandbox, to: string): Promise<void> {
  await at.control.post('/clock/set', { to });
}

describe('a statement', () => {
  test('has exactly the documented fields', async () => {
    const at = await sandbox();
    await completedOrder(at);
    expect(await got(at, '/settlements')).toStrictEqual({
      settlements: [
        {
          statement_id: expect.stringMatching(/^stm_[0-9a-z]+$/),
          period_start: '2026-03-01T00:00:00.000Z',
          period_end: APRIL,
          status: 'OPEN',
          ...sums(1),
          currency: 'USD',
        },
      ],
      next_cursor: null,
    });
  });

  test('of a partner without sales is all zeros', async () => {
    const at = await sandbox();
    const [only] = await statements(at);
    expect(only).toMatchObject(sums(0));
    expect(Object.values(only ?? {}).some((value) => Object.is(value, -0))).toBe(false);
  });

  test('counts an order when its transfer completes, not before', async () => {
    const { at, public_id } = await withOrder(RESOLD);
    for (const [to, count] of [
      ['TRANSFER_IN_PROGRESS', 0],
      ['TRANSFER_COMPLETED', 1],
    ] as const) {
      expect(await statements(at)).toMatchObject([sums(0)]);
      await at.control.post(`/orders/${public_id}/advance`, { to });
      expect(await statements(at)).toMatchObject([sums(count)]);
    }
  });

  test('leaves refunded and cancelled orders, checkouts and deals out', async () => {
    const at = await sandbox();
    for (const action of ['refund', 'cancel']) {
      const { public_id } = await orderFor(at, RESOLD);
      await at.control.post(`/orders/${public_id}/advance`, { action });
    }
    const { transaction_id } = await checkoutSale(at);
    await at.control.post(`/transactions/${transaction_id}/deliver`);
    await deal(at, 'wanted.example', 100_000);
    await completedOrder(at);
    expect(await statements(at)).toMatchObject([sums(1)]);
    expect((await settle(at)).settled_count).toBe(1);
  });
});

describe('a month, UTC, ends a period', () => {
  test.each([
    ['2026-03-02T09:00:00.000Z', '2026-03-01T00:00:00.000Z', APRIL],
    ['2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['2028-02-29T12:00:00.000Z', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    ['2027-02-28T23:59:59.999Z', '2027-02-01T00:00:00.000Z', '2027-03-01T00:00:00.000Z'],
    ['2026-05-01T00:00:00.000Z', '2026-05-01T00:00:00.000Z', '2026-06-01T00:00:00.000Z'],
  ])('at %s it runs from %s to %s', async (frozenAt, start, end) => {
    const at = await sandbox({ frozenAt });
    expect(bounds(await statements(at))).toEqual([[start, end, 'OPEN']]);
  });

  test('and what completed exactly at the boundary belongs to the month that begins', async () => {
    const at = await sandbox();
    const moments = ['2026-03-31T23:59:59.999Z', APRIL, '2026-04-01T00:00:00.001Z'];
    for (const moment of moments) {
      await setClock(at, moment);
      await completedOrder(at);
    }
    const [march, april] = await statements(at);
    expect(march).toMatchObject({ period_end: APRIL, ...sums(1) });
    expect(april).toMatchObject({ period_start: APRIL, ...sums(2) });
    const run = await settle(at);
    expect(run.settled_count).toBe(3);
    expect(run.statements).toMatchObject([
      { period_end: APRIL, status: 'CLOSED', ...sums(1) },
      { period_start: APRIL, period_end: '2026-04-01T00:00:00.001Z', ...sums(2) },
    ]);
  });

  test('a run at the boundary itself closes the month that has ended and leaves the new one open', async () => {
    const at = await sandbox();
    await completedOrder(at);
    await setClock(at, APRIL);
    const inApril = await completedOrder(at);
    const run = await settle(at);
    expect(run.statements).toMatchObject([{ period_end: APRIL, status: 'CLOSED', ...sums(1) }]);
    expect(run.settled_count).toBe(1);
    expect(await readOrder(at, inApril.public_id)).toMatchObject({ status: 'TRANSFER_COMPLETED' });
    const all = await statements(at);
    expectUnbroken(all);
    expect(all.slice(1)).toMatchObject([{ period_start: APRIL, status: 'OPEN', ...sums(1) }]);
  });

  test('an order completed where it was recorded months before counts when it completed', async () => {
    const { at, public_id } = await withOrder(RESOLD);
    await setClock(at, '2026-06-10T00:00:00.000Z');
    await at.control.post(`/orders/${public_id}/advance`, { to: 'TRANSFER_COMPLETED' });
    const all = await statements(at);
    expect(all.map(({ order_count }) => order_count)).toEqual([0, 0, 0, 1]);
    expectUnbroken(all);
  });
});

describe('a settlement run', () => {
  test('closes the present period now and begins the next there', async () => {
    const at = await sandbox();
    const order = await completedOrder(at);
    await at.control.post('/clock/advance', { by: '1d' });
    const now = '2026-03-03T09:00:00.000Z';
    const run = await settle(at);
    expect(run).toMatchObject({
      settled_count: 1,
      orders: [{ public_id: order.public_id, partner_id: 'ptr_local', environment: 'SANDBOX' }],
      statements: [{ period_end: now, status: 'CLOSED', partner_id: 'ptr_local', ...sums(1) }],
    });
    expect(await statements(at)).toMatchObject([
      { period_end: now, status: 'CLOSED', ...sums(1) },
      { period_start: now, period_end: APRIL, status: 'OPEN', ...sums(0) },
    ]);
  });

  test('settles each completed order once, with its event, and no other order', async () => {
    const at = await sandbox();
    const done = await completedOrder(at);
    const waiting = await orderFor(at, 0);
    await settle(at);
    await settle(at);
    expect(await readOrder(at, done.public_id)).toMatchObject({ status: 'SETTLED' });
    expect(await readOrder(at, waiting.public_id)).toMatchObject({ status: 'EXTERNALLY_PAID' });
    const types = await eventTypes(at, done.public_id);
    expect(types.filter((type) => type === 'order.settled')).toHaveLength(1);
    expect(await eventTypes(at, waiting.public_id)).toEqual(['order.recorded']);
  });

  test('at one frozen instant again and again closes nothing that is not there', async () => {
    const at = await sandbox();
    await completedOrder(at);
    expect((await settle(at)).statements).toHaveLength(1);
    for (let n = 0; n < 3; n += 1) {
      expect(await settle(at)).toEqual({ settled_count: 0, orders: [], statements: [] });
    }
    expect(bounds(await statements(at))).toEqual([
      ['2026-03-01T00:00:00.000Z', START, 'CLOSED'],
      [START, APRIL, 'OPEN'],
    ]);
  });

  test('in the first millisecond of a month settles only earlier orders, as why-not says', async () => {
    const at = await sandbox({ frozenAt: '2026-02-28T23:00:00.000Z' });
    const earlier = await completedOrder(at);
    await at.control.post('/clock/advance', { by: '1h' });
    for (const [{ public_id }, says] of [
      [earlier, /settlements run`$/],
      [await completedOrder(at), /advance the clock first/],
      [await orderFor(at, RESOLD), /advance the clock first/],
    ] as const) {
      const whyNot = await at.control.get(`/orders/${public_id}/why-not`, { to: 'SETTLED' });
      expect(whyNot).toMatchObject({ reason: expect.stringMatching(says) });
    }
    expect((await settle(at)).orders).toMatchObject([{ public_id: earlier.public_id }]);
  });

  test('in the millisecond in which the period began closes nothing; a later run settles its orders', async () => {
    const at = await sandbox();
    await completedOrder(at);
    await settle(at);
    for (let n = 0; n < 2; n += 1) {
      const { public_id } = await completedOrder(at);
      expect(await settle(at)).toEqual({ settled_count: 0, orders: [], statements: [] });
      expect(await readOrder(at, public_id)).toMatchObject({ status: 'TRANSFER_COMPLETED' });
      const whyNot = await at.control.get(`/orders/${public_id}/why-not`, { to: 'SETTLED' });
      expect(whyNot).toMatchObject({ reason: expect.stringContaining('advance the clock first') });
    }
    await at.control.post('/clock/advance', { by: '1ms' });
    const end = '2026-03-02T09:00:00.001Z';
    expect(await settle(at)).toMatchObject({
      settled_count: 2,
      statements: [{ period_start: START, period_end: end, ...sums(2) }],
    });
    const all = await statements(at);
    expect(all.map((each) => [each.period_start, each.period_end, each.order_count])).toEqual([
      ['2026-03-01T00:00:00.000Z', START, 1],
      [START, end, 2],
      [end, APRIL, 0],
    ]);
    expectUnbroken(all);
  });

  test('in the millisecond in which an order completed settles it', async () => {
    const at = await sandbox();
    await settle(at);
    await at.control.post('/clock/advance', { by: '1ms' });
    await completedOrder(at);
    expect(await settle(at)).toMatchObject({ settled_count: 1, statements: [sums(1)] });
  });

  test('leaves an order that completes right after it, at the same instant, for the next', async () => {
    const at = await sandbox();
    await completedOrder(at);
    await settle(at);
    await completedOrder(at);
    expect(await statements(at)).toMatchObject([
      { status: 'CLOSED', ...sums(1) },
      { status: 'OPEN', ...sums(1) },
    ]);
    await setClock(at, '2026-04-02');
    expect((await settle(at)).statements).toMatchObject([
      { period_start: START, period_end: APRIL, ...sums(1) },
      { period_start: APRIL, period_end: '2026-04-02T00:00:00.000Z', ...sums(0) },
    ]);
  });

  test('twenty at once settle everything once', async () => {
    const at = await sandbox();
    for (let n = 0; n < 5; n += 1) await completedOrder(at);
    const runs = await Promise.all(Array.from({ length: 20 }, () => settle(at)));
    expect(runs.reduce((sum, run) => sum + run.settled_count, 0)).toBe(5);
    expect(runs.flatMap((run) => run.statements)).toHaveLength(1);
    expectUnbroken(await statements(at));
  });

  test('for one partner leaves the others as they are', async () => {
    const at = await sandbox();
    const other = await mint(at, { partner: 'other' });
    const mine = await completedOrder(at);
    const theirs = await completedOrder(at, other);
    expect(await statements(at)).toMatchObject([{ status: 'OPEN' }]);
    const run = await settle(at, other.partner_id);
    expect(run.orders.map((order) => order.public_id)).toEqual([theirs.public_id]);
    expect(await readOrder(at, mine.public_id)).toMatchObject({ status: 'TRANSFER_COMPLETED' });
    expect(await statements(at)).toMatchObject([{ status: 'OPEN', ...sums(1) }]);
    expect(await statements(at, other)).toMatchObject([
      { status: 'CLOSED', ...sums(1) },
      { status: 'OPEN', ...sums(0) },
    ]);
  });

  test('for everybody gives each partner and environment a statement of its own', async () => {
    const at = await sandbox();
    const keys: Key[] = [at.credential];
    for (const partner of ['b', 'c']) keys.push(await mint(at, { partner }));
    const live = await mintLive(at, { partner: 'local' });
    for (const [n, key] of keys.entries()) {
      for (let made = 0; made <= n; made += 1) await completedOrder(at, key);
    }
    const run = await settle(at);
    expect(run.settled_count).toBe(6);
    const counts = run.statements.map((each) => `${each.environment} ${each.order_count}`);
    expect(counts.toSorted()).toEqual(['LIVE 0', 'SANDBOX 1', 'SANDBOX 2', 'SANDBOX 3']);
    for (const [n, key] of keys.entries()) {
      expect((await statements(at, key))[0]).toMatchObject(sums(n + 1));
    }
    expect((await statements(at, live))[0]).toMatchObject(sums(0));
  });

  test('reaches partners whose last credential is revoked', async () => {
    const at = await sandbox();
    const gone = await mint(at, { partner: 'gone' });
    const { public_id } = await completedOrder(at, gone);
    await at.control.delete(`/credentials/${gone.key_id}`);
    expect((await settle(at)).orders.map((order) => order.public_id)).toContain(public_id);
  });

  test('for an unknown partner is rejected and changes nothing', async () => {
    const { at, controlRejected } = await watched();
    await completedOrder(at);
    const run = (body: object) => controlRejected(() => at.control.post('/settlements/run', body));
    const unknown = await run({ partner_id: 'ptr_nobody' });
    expect(unknown).toMatchObject({ status: 404, code: 'not_found' });
    for (const body of [{ partner_id: '' }, { partner_id: 5 }, { partner: 'local' }]) {
      expect(await run(body)).toMatchObject({ status: 400, code: 'validation_error' });
    }
  });
});

describe('the first period of a partner begins with the month that the clock was set back to', () => {
  const MARCH = '2026-03-01T00:00:00.000Z';

  /** A partner that was created in June, after which the clock was set back to March. */
  async function setBack(by: 'reset' | 'restore', action: 'order' | 'list' | undefined) {
    const at = await sandbox();
    await at.control.post('/snapshots', { name: 'march' });
    await setClock(at, '2026-06-10');
    const late = await mint(at, { partner: 'late' });
    if (by === 'reset') await at.reset();
    else await at.control.post('/snapshots/march/restore');
    if (action === 'order') await completedOrder(at, late);
    if (action === 'list') await statements(at, late);
    await setClock(at, '2026-07-10');
    return statements(at, late);
  }

  test.each([
    ['reset', 'order', [1, 0, 0, 0, 0]],
    ['reset', 'list', [0, 0, 0, 0, 0]],
    ['restore', 'order', [1, 0, 0, 0, 0]],
    ['restore', undefined, [0, 0, 0, 0, 0]],
  ] as const)('by a %s, if what follows is: %s', async (by, action, counts) => {
    const all = await setBack(by, action);
    expectUnbroken(all);
    expect(all[0]).toMatchObject({ period_start: MARCH });
    expect(all.map(({ order_count }) => order_count)).toEqual(counts);
  });
});

describe('the list', () => {
  test('does not repeat or skip when a month ends while it is walked', async () => {
    const at = await sandbox();
    await setClock(at, '2026-06-05');
    const all = (await statements(at)).toReversed();
    const first = await got<{ settlements: Statement[]; next_cursor: string }>(
      at,
      '/settlements?limit=2',
    );
    await setClock(at, '2026-08-05');
    const rest = await got<{ settlements: Statement[] }>(
      at,
      `/settlements?cursor=${first.next_cursor}`,
    );
    expect([...first.settlements, ...rest.settlements]).toEqual(all);
  });
});
