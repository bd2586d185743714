import { describe, expect, test } from 'vitest';
import { ask, got, NO_ANALYTICS, send, walked } from '../support/calls.ts';
import {
  type Commission,
  checkoutSale,
  commissions,
  completedOrder,
  deal,
  linkFor,
  RESOLD,
  type Sale,
} from '../support/money.ts';
import { mint, mintLive, orderFor, withOrder } from '../support/orders.ts';
import { click } from '../support/referral.ts';
import { rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';

const AFFILIATE_READS = [
  '/links',
  '/me/clicks',
  '/me/sales',
  '/me/commissions',
  '/me/payouts',
  '/analytics',
];

interface Clicks {
  from: string | null;
  to: string | null;
  total_clicks: number;
  days: { date: string; clicks: number }[];
}

interface Analytics {
  from: string | null;
  to: string | null;
  funnel: { clicks: number; checkouts: number; sales: number; conversion_rate: number };
  orders: { count: number; gmv_cents: number };
  commission_cents: number;
  currency: string;
}

describe('affiliate surfaces', () => {
  test('say that the scope is missing before they say anything of affiliates', async () => {
    const at = await sandbox();
    const neither = await mint(at, { partner: 'p', affiliate: false, scopes: ['search'] });
    for (const path of AFFILIATE_READS) {
      expect((await rejection(await ask(at, path, neither))).message).toContain('scope');
    }
  });
});

describe('/me/clicks', () => {
  test('is empty at first, in exactly its shape', async () => {
    const at = await sandbox();
    expect(await got(at, '/me/clicks')).toStrictEqual({
      from: null,
      to: null,
      total_clicks: 0,
      days: [],
    });
  });

  test('counts by UTC day, within a window that includes from and excludes to', async () => {
    const at = await sandbox();
    const [one, two] = [await linkFor(at), await linkFor(at)];
    const times = [
      '2026-03-02T23:59:59.999Z',
      '2026-03-03T00:00:00.000Z',
      '2026-03-03T12:00:00.000Z',
      '2026-03-05T08:00:00.000Z',
    ];
    for (const [n, to] of times.entries()) {
      await at.control.post('/clock/set', { to });
      for (let made = 0; made <= n; made += 1) await click(at, made % 2 === 0 ? one : two);
    }
    const days = (...counts: [date: string, clicks: number][]) =>
      counts.map(([date, clicks]) => ({ date: `2026-03-${date}`, clicks }));
    const cases: [string, { date: string; clicks: number }[]][] = [
      ['', days(['02', 1], ['03', 5], ['05', 4])],
      ['?from=2026-03-03', days(['03', 5], ['05', 4])],
      ['?to=2026-03-03', days(['02', 1])],
      ['?from=2026-03-03&to=2026-03-03T12:00:00.000Z', days(['03', 2])],
      ['?from=2026-03-03T12:00:00.000Z&to=2026-03-05', days(['03', 3])],
      ['?from=2026-03-03T01:00:00%2B01:00&to=2026-03-04', days(['03', 5])],
      ['?from=2026-03-04&to=2026-03-02', []],
    ];
    for (const [query, expected] of cases) {
      const seen = await got<Clicks>(at, `/me/clicks${query}`);
      expect(seen.days, query).toEqual(expected);
      const total = expected.reduce((sum, day) => sum + day.clicks, 0);
      expect(seen.total_clicks, query).toBe(total);
      const { funnel } = await got<Analytics>(at, `/analytics${query}`);
      expect(funnel.clicks, query).toBe(total);
    }
  });

  test.each(['/me/clicks', '/analytics'])('%s repeats its window in UTC', async (path) => {
    const at = await sandbox();
    const query = 'from=2026-03-01&to=2026-03-02T10:30:00%2B01:00';
    expect(await got(at, `${path}?${query}`)).toMatchObject({
      from: '2026-03-01T00:00:00.000Z',
      to: '2026-03-02T09:30:00.000Z',
    });
  });

  test.each(['/me/clicks', '/analytics'])('%s rejects an invalid time', async (path) => {
    const at = await sandbox();
    for (const query of ['from=yesterday', 'to=', 'from=2026-02-30', 'to=1&to=2']) {
      expect(await rejection(await ask(at, `${path}?${query}`))).toMatchObject({
        status: 400,
        code: 'validation_error',
        message: expect.stringMatching(/^(from|to): /),
      });
    }
  });
});

describe('/me/sales', () => {
  test('shows attributed sales only, newest first, in exactly their shape', async () => {
    const at = await sandbox();
    const link = await linkFor(at);
    await orderFor(at, RESOLD);
    await deal(at, 'wanted.example', 10_000);
    const [plain, linked] = [
      await checkoutSale(at),
      await checkoutSale(at, { link_id: link.link_id }),
    ];
    const shown = (sale: Sale, link_id: string | null) => ({
      transaction_id: sale.transaction_id,
      buyer: { email: 'buyer@example.com', name: null, country: null },
      domain: RESOLD.domain,
      amount_cents: 250_000,
      commission_cents: 25_000,
      currency: 'USD',
      link_id,
      created_at: '2026-03-02T09:00:00.000Z',
    });
    expect(await got(at, '/me/sales')).toStrictEqual({
      sales: [shown(linked, link.link_id), shown(plain, null)],
      next_cursor: null,
    });
  });

  test('keeps a refunded sale, with no commission', async () => {
    const at = await sandbox();
    const { transaction_id } = await checkoutSale(at);
    await at.control.post(`/transactions/${transaction_id}/refund`);
    expect(await got(at, '/me/sales')).toMatchObject({
      sales: [{ transaction_id, amount_cents: 250_000, commission_cents: 0 }],
    });
  });
});

describe('/me/commissions', () => {
  test('is a ledger: accrued, pending, paid out and reversed, with the balance after each', async () => {
    const at = await sandbox();
    const kept = await checkoutSale(at);
    const refunded = await checkoutSale(at);
    const dealt = await deal(at, 'wanted.example', 100_000);
    const move = (sale: Sale, what: string) =>
      at.control.post(`/transactions/${sale.transaction_id}/${what}`);
    await move(kept, 'deliver');
    await move(refunded, 'deliver');
    await move(refunded, 'refund');
    await move(dealt, 'deliver');
    await at.control.post('/payouts/run');
    await checkoutSale(at);
    expect(
      (await commissions(at)).map((line) => [
        line.transaction_id,
        line.status,
        line.amount_cents,
        line.balance_cents,
      ]),
    ).toEqual([
      [kept.transaction_id, 'ACCRUED', 25_000, 25_000],
      [refunded.transaction_id, 'ACCRUED', 25_000, 50_000],
      [dealt.transaction_id, 'ACCRUED', 5_000, 55_000],
      [kept.transaction_id, 'PENDING', 25_000, 55_000],
      [refunded.transaction_id, 'PENDING', 25_000, 55_000],
      [refunded.transaction_id, 'REVERSED', 25_000, 30_000],
      [dealt.transaction_id, 'PENDING', 5_000, 30_000],
      [kept.transaction_id, 'PAID_OUT', 25_000, 5_000],
      [dealt.transaction_id, 'PAID_OUT', 5_000, 0],
      [expect.stringMatching(/^txn_/), 'ACCRUED', 25_000, 25_000],
    ]);
  });

  test('has lines of exactly this shape', async () => {
    const at = await sandbox();
    for (let n = 0; n < 5; n += 1) await checkoutSale(at);
    const { rows: all } = await walked<Commission>(at, '/me/commissions', 'commissions');
    expect(all[0]).toStrictEqual({
      commission_id: expect.stringMatching(/^com_[0-9a-z]+$/),
      transaction_id: expect.stringMatching(/^txn_/),
      domain: RESOLD.domain,
      status: 'ACCRUED',
      amount_cents: 25_000,
      balance_cents: 125_000,
      currency: 'USD',
      created_at: '2026-03-02T09:00:00.000Z',
    });
  });

  test('has nothing of what partners collect themselves', async () => {
    const { at, public_id } = await withOrder(RESOLD);
    await send(at, '/refunds', { public_id });
    await completedOrder(at);
    expect(await commissions(at)).toEqual([]);
  });

  test('keeps a balance for each partner and environment', async () => {
    const at = await sandbox();
    const other = await mint(at, { partner: 'other' });
    const live = await mintLive(at, { partner: 'local' });
    await checkoutSale(at);
    await checkoutSale(at, { key: other });
    await deal(at, 'wanted.example', 100_000, live);
    expect((await commissions(at)).map((line) => line.balance_cents)).toEqual([25_000]);
    expect((await commissions(at, other)).map((line) => line.balance_cents)).toEqual([25_000]);
    expect((await commissions(at, live)).map((line) => line.balance_cents)).toEqual([5_000]);
  });
});

describe('/analytics', () => {
  test('is all plain zeros at first, in exactly its shape', async () => {
    const at = await sandbox();
    expect(await got(at, '/analytics')).toStrictEqual(NO_ANALYTICS);
  });

  test('counts the funnel from click to sale', async () => {
    const at = await sandbox();
    const link = await linkFor(at);
    for (let n = 0; n < 6; n += 1) await click(at, link);
    await send(at, '/checkout-session', { domain: RESOLD.domain });
    const sold = [await checkoutSale(at), await checkoutSale(at, { link_id: link.link_id })];
    await orderFor(at, RESOLD);
    await deal(at, 'wanted.example', 10_000);
    const funnel = async () => (await got<Analytics>(at, '/analytics')).funnel;
    expect(await funnel()).toEqual({ clicks: 6, checkouts: 3, sales: 2, conversion_rate: 0.3333 });
    await at.control.post(`/transactions/${sold[0]?.transaction_id}/refund`);
    expect(await funnel()).toEqual({ clicks: 6, checkouts: 3, sales: 1, conversion_rate: 0.1667 });
    const none = { clicks: 0, checkouts: 0, sales: 0, conversion_rate: 0 };
    expect(await got(at, '/analytics?from=2026-03-03')).toMatchObject({ funnel: none });
  });
});
