import { describe, expect, test } from 'vitest';
import { got } from '../support/calls.ts';
import {
  checkoutSale,
  commissions,
  completedOrder,
  deal,
  type Payout,
  payouts,
  type Sale,
  settle,
} from '../support/money.ts';
import { eventTypes, mint, mintLive } from '../support/orders.ts';
import { sandbox } from '../support/sandbox.ts';
import { watched } from '../support/unchanged.ts';

interface Run {
  payouts: (Payout & { partner_id: string; environment: string })[];
}

/** 10% of the price that checkouts sell at. */
const COMMISSION = 25_000;

test('no payout is made before a delivery', async () => {
  const { at } = await watched();
  await checkoutSale(at);
  await completedOrder(at);
  await settle(at);
  expect(await at.control.post<Run>('/payouts/run')).toEqual({ payouts: [] });
  expect(await got(at, '/payouts')).toStrictEqual({ payouts: [], next_cursor: null });
  expect(await got(at, '/me/payouts')).toStrictEqual({
    payouts: [],
    total_paid_cents: 0,
    next_cursor: null,
  });
});

describe('a payout run', () => {
  test('pays what is delivered, all in one payout, and shows it with exactly the documented fields', async () => {
    const at = await sandbox();
    const sales = [await checkoutSale(at), await checkoutSale(at)];
    sales.push(await deal(at, 'wanted.example', 123_450));
    for (const { transaction_id } of sales) {
      await at.control.post(`/transactions/${transaction_id}/deliver`);
    }
    await checkoutSale(at);
    await at.control.post('/clock/advance', { by: '1d' });
    const { payouts: paid } = await at.control.post<Run>('/payouts/run');
    const payout = {
      payout_id: expect.stringMatching(/^pay_[0-9a-z]+$/),
      amount_cents: 2 * COMMISSION + 6_173,
      currency: 'USD',
      status: 'PAID',
      created_at: '2026-03-03T09:00:00.000Z',
    };
    expect(paid).toStrictEqual([
      { ...payout, partner_id: 'ptr_local', partner: 'local', environment: 'SANDBOX' },
    ]);
    expect(await got(at, '/payouts')).toStrictEqual({ payouts: [payout], next_cursor: null });
    expect(await got(at, '/me/payouts')).toStrictEqual({
      payouts: [payout],
      total_paid_cents: payout.amount_cents,
      next_cursor: null,
    });
  });

  test('pays each sale once, however often it runs at one instant', async () => {
    const at = await sandbox();
    const { transaction_id } = await checkoutSale(at);
    await at.control.post(`/transactions/${transaction_id}/deliver`);
    const runs = await Promise.all(
      Array.from({ length: 10 }, () => at.control.post<Run>('/payouts/run')),
    );
    expect(runs.flatMap((run) => run.payouts)).toHaveLength(1);
    expect((await commissions(at)).map(({ status }) => status)).toEqual([
      'ACCRUED',
      'PENDING',
      'PAID_OUT',
    ]);
  });

  test('pays neither refunded sales nor what partners collected themselves', async () => {
    const at = await sandbox();
    const refunded = await checkoutSale(at);
    await at.control.post(`/transactions/${refunded.transaction_id}/deliver`);
    await at.control.post(`/transactions/${refunded.transaction_id}/refund`);
    await completedOrder(at);
    await settle(at);
    expect(await at.control.post('/payouts/run')).toEqual({ payouts: [] });
  });

  test('pays what is left above zero after a commission that was paid out is reversed', async () => {
    const at = await sandbox();
    const [refunded, small, large] = [
      await deal(at, 'refunded.example', 200_000),
      await deal(at, 'small.example', 80_000),
      await deal(at, 'large.example', 300_000),
    ];
    const move = (sale: Sale, what: string) =>
      at.control.post(`/transactions/${sale.transaction_id}/${what}`);
    await move(refunded, 'deliver');
    await at.control.post('/payouts/run');
    expect(await move(refunded, 'refund')).toMatchObject({ status: 'REFUNDED' });
    await move(small, 'deliver');
    // 40 pending, 100 owed back; what is accrued and not delivered does not count.
    expect(await at.control.post('/payouts/run')).toEqual({ payouts: [] });
    await move(large, 'deliver');
    const { payouts: paid } = await at.control.post<Run>('/payouts/run');
    expect(paid).toMatchObject([{ amount_cents: 9_000 }]);
    expect(await at.control.post('/payouts/run')).toEqual({ payouts: [] });
    expect(await got(at, '/me/payouts?limit=1')).toMatchObject({ total_paid_cents: 19_000 });
    expect(
      (await commissions(at)).map((line) => [line.domain, line.status, line.balance_cents]),
    ).toEqual([
      ['refunded.example', 'ACCRUED', 10_000],
      ['small.example', 'ACCRUED', 14_000],
      ['large.example', 'ACCRUED', 29_000],
      ['refunded.example', 'PENDING', 29_000],
      ['refunded.example', 'PAID_OUT', 19_000],
      ['refunded.example', 'REVERSED', 9_000],
      ['small.example', 'PENDING', 9_000],
      ['large.example', 'PENDING', 9_000],
      ['small.example', 'PAID_OUT', 9_000],
      ['large.example', 'PAID_OUT', 0],
    ]);
    // The oldest sale is reduced first, and each paid sale has an entry.
    expect((await commissions(at)).slice(-2)).toMatchObject([
      { domain: 'small.example', amount_cents: 0 },
      { domain: 'large.example', amount_cents: 9_000 },
    ]);
    // A commission that made up for another is reversed like any other.
    await move(small, 'refund');
    expect((await commissions(at)).at(-1)).toMatchObject({
      status: 'REVERSED',
      balance_cents: -4_000,
    });
  });

  test('of commissions that come to nothing creates no payout', async () => {
    const at = await sandbox();
    const { transaction_id } = await deal(at, 'wanted.example', 1);
    await at.control.post(`/transactions/${transaction_id}/deliver`);
    expect(await at.control.post('/payouts/run')).toEqual({ payouts: [] });
    expect(await payouts(at)).toEqual([]);
  });

  test('pays each partner and environment apart, or only the one asked for', async () => {
    const at = await sandbox();
    const b = await mint(at, { partner: 'b' });
    const c = await mint(at, { partner: 'c' });
    const live = await mintLive(at, { partner: 'b' });
    const delivered = [];
    for (const key of [at.credential, b, c]) delivered.push(await checkoutSale(at, { key }));
    delivered.push(await deal(at, 'wanted.example', 1_000_000, live));
    for (const { transaction_id } of delivered) {
      await at.control.post(`/transactions/${transaction_id}/deliver`);
    }
    const only = await at.control.post<Run>('/payouts/run', { partner_id: c.partner_id });
    expect(only.payouts).toMatchObject([{ partner_id: c.partner_id, amount_cents: COMMISSION }]);
    expect(await payouts(at)).toEqual([]);
    const all = await at.control.post<Run>('/payouts/run');
    const paid = all.payouts.map((each) => [each.partner_id, each.environment, each.amount_cents]);
    expect(paid.toSorted()).toEqual(
      [
        ['ptr_local', 'SANDBOX', COMMISSION],
        [b.partner_id, 'LIVE', 50_000],
        [b.partner_id, 'SANDBOX', COMMISSION],
      ].toSorted(),
    );
    expect(await payouts(at, live)).toMatchObject([{ amount_cents: 50_000 }]);
    expect(await payouts(at, b)).toMatchObject([{ amount_cents: COMMISSION }]);
  });

  test('for an unknown partner is rejected and changes nothing', async () => {
    const { at, controlRejected } = await watched();
    const { transaction_id } = await checkoutSale(at);
    await at.control.post(`/transactions/${transaction_id}/deliver`);
    const run = (body: object) => controlRejected(() => at.control.post('/payouts/run', body));
    expect(await run({ partner_id: 'ptr_nobody' })).toMatchObject({ code: 'not_found' });
    expect(await run({ partner_id: null })).toMatchObject({ code: 'validation_error' });
    expect(await run({ everybody: true })).toMatchObject({ code: 'validation_error' });
  });

  test('sends no event, because the specification lists none', async () => {
    const at = await sandbox();
    const { transaction_id } = await checkoutSale(at);
    await at.control.post(`/transactions/${transaction_id}/deliver`);
    await at.control.post('/payouts/run');
    expect(await eventTypes(at)).toEqual([]);
  });
});
