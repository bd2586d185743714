import { describe, expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { ask, got, send, walked } from '../support/calls.ts';
import { checkoutSale, completedOrder, deal, RESOLD, type Sale, settle } from '../support/money.ts';
import { orderFor, withOrder } from '../support/orders.ts';
import { rejection } from '../support/responses.ts';
import { sandbox, sharedSandbox } from '../support/sandbox.ts';
import { watched } from '../support/unchanged.ts';

interface Page {
  transactions: Sale[];
  totals: { count: number; gmv_cents: number; commission_cents: number; currency: string };
  next_cursor: string | null;
}

function page(at: InProcessSandbox, query = ''): Promise<Page> {
  return got<Page>(at, `/transactions${query && `?${query}`}`);
}

/** What the totals must be, computed from the rows. */
function totalsOf(sales: readonly Sale[]): Page['totals'] {
  const counted = sales.filter(({ status }) => status !== 'REFUNDED' && status !== 'CANCELLED');
  return {
    count: counted.length,
    gmv_cents: counted.reduce((sum, sale) => sum + sale.sale_price_cents, 0),
    commission_cents: counted.reduce((sum, sale) => sum + sale.commission_cents, 0),
    currency: 'USD',
  };
}

const MODELS = ['partner_collected', 'marketplace_collected', 'brokerage'];
const STATUSES = [
  'EXTERNALLY_PAID',
  'MANUAL_REVIEW',
  'TRANSFER_IN_PROGRESS',
  'TRANSFER_COMPLETED',
  'SETTLED',
  'REFUNDED',
  'CANCELLED',
  'PAID',
  'DELIVERED',
];
const DAYS = ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05'];

/** Sales of every model in every state, over three days. */
async function busyShop(): Promise<InProcessSandbox> {
  const at = await sharedSandbox();
  let sold = 0;
  for (let day = 0; day < 3; day += 1) {
    await completedOrder(at);
    if (day === 0) await settle(at);
    await orderFor(at, sold++);
    for (const action of ['start_transfer', 'cancel', 'hold']) {
      const { public_id } = await orderFor(at, sold++);
      await at.control.post(`/orders/${public_id}/advance`, { action });
    }
    const { public_id } = await orderFor(at, RESOLD);
    await send(at, '/refunds', { public_id });
    await checkoutSale(at);
    for (const move of ['deliver', 'refund']) {
      for (const sale of [await checkoutSale(at), await deal(at, `${move}${day}.net`, 77_777)]) {
        await at.control.post(`/transactions/${sale.transaction_id}/${move}`);
      }
    }
    await deal(at, `paid${day}.net`, 99_999);
    // What was paid out was earned all the same: it stays in the totals.
    if (day === 1) await at.control.post('/payouts/run');
    await at.control.post('/clock/advance', { by: '1d' });
  }
  return at;
}

describe('filters', async () => {
  const at = await busyShop();
  const { rows: all } = await walked<Sale>(at, '/transactions', 'transactions');

  test('none at all show everything, newest first, in every state there is', () => {
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(STATUSES));
    expect(new Set(all.map((sale) => sale.payment_model))).toEqual(new Set(MODELS));
    const ids = all.map((sale) => sale.transaction_id);
    expect(ids).toEqual(ids.toSorted().toReversed());
    expect(all).toHaveLength(36);
  });

  test('narrow the list and the totals alike, in every combination', async () => {
    const some = (values: string[]) => [undefined, ...values];
    for (const status of some(STATUSES)) {
      for (const payment_model of some(MODELS)) {
        for (const [from, to] of [[], [DAYS[0], DAYS[1]], [DAYS[1]], [undefined, DAYS[2]]]) {
          const fits = all.filter(
            (sale) =>
              (status === undefined || sale.status === status) &&
              (payment_model === undefined || sale.payment_model === payment_model) &&
              (from === undefined || sale.created_at >= from) &&
              (to === undefined || sale.created_at < to),
          );
          const given = Object.entries({ status, payment_model, from, to });
          const query = given.flatMap(([name, value]) => (value ? [`${name}=${value}`] : []));
          const { transactions, totals } = await page(at, [...query, 'limit=100'].join('&'));
          expect(transactions, query.join('&')).toEqual(fits);
          expect(totals, query.join('&')).toEqual(totalsOf(fits));
        }
      }
    }
  });

  test('cover the whole filter on every page', async () => {
    const filter = `payment_model=partner_collected&from=${DAYS[1]}`;
    const fits = all.filter(
      (sale) => sale.payment_model === 'partner_collected' && sale.created_at >= (DAYS[1] ?? ''),
    );
    for (const limit of [1, 3, 100]) {
      let cursor: string | null = '';
      const seen: Sale[] = [];
      while (cursor !== null) {
        const next: Page = await page(
          at,
          `${filter}&limit=${limit}${cursor && `&cursor=${cursor}`}`,
        );
        expect(next.totals).toEqual(totalsOf(fits));
        seen.push(...next.transactions);
        cursor = next.next_cursor;
      }
      expect(seen).toEqual(fits);
    }
  });

  test('by time include from and exclude to, to the millisecond', async () => {
    const [first] = all.toReversed();
    const time = first?.created_at ?? '';
    const after = new Date(Date.parse(time) + 1).toISOString();
    const count = async (query: string) => (await page(at, query)).totals.count;
    const those = totalsOf(all.filter((sale) => sale.created_at === time)).count;
    expect(those).toBeGreaterThan(0);
    expect(await count(`from=${time}&to=${after}`)).toBe(those);
    expect(await count(`from=${time}&to=${time}`)).toBe(0);
    expect(await count(`to=${time}`)).toBe(0);
    expect(await count(`from=${after}`)).toBe(totalsOf(all).count - those);
  });

  test.each([
    ['status', 'HELD'],
    ['payment_model', 'partner-collected'],
    ['from', '2026-13-01'],
    ['to', '2026-03-02T09:00:00'],
  ])('%s may not be %j', async (name, value) => {
    expect(await rejection(await ask(at, `/transactions?${name}=${value}`))).toMatchObject({
      status: 400,
      code: 'validation_error',
      message: expect.stringMatching(new RegExp(`^${name}: must`)),
    });
  });

  test('may be given once each; what is unknown is ignored', async () => {
    expect((await ask(at, '/transactions?status=PAID&status=PAID')).status).toBe(400);
    expect((await page(at, 'domain=nobody.example&currency=EUR')).totals).toEqual(totalsOf(all));
  });
});

describe('a transaction', () => {
  test('of an order has exactly these fields, and the state of its order', async () => {
    const { at, ...order } = await withOrder(RESOLD);
    const shown = async () => (await page(at)).transactions;
    expect(await shown()).toStrictEqual([
      {
        transaction_id: expect.stringMatching(/^txn_[0-9a-z]+$/),
        domain: RESOLD.domain,
        payment_model: 'partner_collected',
        status: 'MANUAL_REVIEW',
        sale_price_cents: 250_000,
        commission_cents: 37_500,
        currency: 'USD',
        order_public_id: order.public_id,
        created_at: order.created_at,
      },
    ]);
    for (const [action, status] of [
      ['clear', 'EXTERNALLY_PAID'],
      ['start_transfer', 'TRANSFER_IN_PROGRESS'],
      ['complete_transfer', 'TRANSFER_COMPLETED'],
    ]) {
      await at.control.post(`/orders/${order.public_id}/advance`, { action });
      expect(await shown()).toMatchObject([{ status }]);
    }
    await settle(at);
    expect(await shown()).toMatchObject([{ status: 'SETTLED' }]);
  });

  test('of a checkout or a deal goes from PAID to DELIVERED, and keeps the moment of its sale', async () => {
    const at = await sandbox();
    for (const sale of [await checkoutSale(at), await deal(at, 'wanted.example', 10_000)]) {
      expect(sale).toMatchObject({ status: 'PAID', order_public_id: null });
      await at.control.post('/clock/advance', { by: '1h' });
      await at.control.post(`/transactions/${sale.transaction_id}/deliver`);
      const { transactions } = await page(at, `payment_model=${sale.payment_model}`);
      expect(transactions).toMatchObject([{ status: 'DELIVERED', created_at: sale.created_at }]);
    }
  });

  test('that is refunded is listed, and counted no more', async () => {
    const at = await sandbox();
    const sales = [await checkoutSale(at), await deal(at, 'wanted.example', 10_000)];
    for (const [n, { transaction_id }] of sales.entries()) {
      await at.control.post(`/transactions/${transaction_id}/refund`);
      const { transactions, totals } = await page(at);
      expect(transactions).toHaveLength(2);
      expect(totals.count).toBe(1 - n);
    }
    expect((await page(at, 'status=REFUNDED')).transactions).toHaveLength(2);
  });

  test('is not recorded for a failed order, an unpaid checkout or a case without a deal', async () => {
    const { at, rejected } = await watched();
    const failed = await rejected(() => send(at, '/orders', { domain: RESOLD.domain }));
    expect(failed.code).toBe('missing_idempotency_key');
    await send(at, '/checkout-session', { domain: RESOLD.domain });
    await send(at, '/brokerage', {
      domain: 'wanted.example',
      tier: 'managed',
      buyer_email: 'a@b.co',
      budget: 5,
    });
    expect(await page(at)).toMatchObject({ transactions: [], totals: { count: 0 } });
  });
});

describe('the control API', () => {
  test.each(['deliver', 'refund'])('rejects to %s the transaction of an order', async (move) => {
    const { at, controlRejected } = await watched();
    await orderFor(at);
    const [sale] = (await page(at)).transactions;
    const path = `/transactions/${sale?.transaction_id}/${move}`;
    expect(await controlRejected(() => at.control.post(path))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(sale?.order_public_id ?? 'no order'),
    });
  });

  test('delivers once and refunds once', async () => {
    const { at, controlRejected } = await watched();
    const [delivered, refunded, paid] = [
      await checkoutSale(at),
      await checkoutSale(at),
      await deal(at, 'wanted.example', 10_000),
    ].map((sale) => sale.transaction_id);
    await at.control.post(`/transactions/${refunded}/refund`);
    await at.control.post(`/transactions/${paid}/deliver`);
    await at.control.post('/payouts/run');
    await at.control.post(`/transactions/${delivered}/deliver`);
    for (const path of [
      `${delivered}/deliver`,
      `${refunded}/deliver`,
      `${refunded}/refund`,
      `${paid}/deliver`,
    ]) {
      const error = await controlRejected(() => at.control.post(`/transactions/${path}`));
      expect(error, path).toMatchObject({ status: 409, code: 'conflict' });
    }
    const error = await controlRejected(() => at.control.post('/transactions/txn_none/refund'));
    expect(error).toMatchObject({ status: 404, code: 'not_found' });
  });
});

test('amounts beyond 32 bits, and their sums, stay exact to the cent', async () => {
  const at = await sandbox({ rateLimits: false });
  const price = 999_999_999_999;
  for (let n = 0; n < 5; n += 1) await deal(at, `wanted${n}.example`, price);
  expect((await page(at)).totals).toEqual({
    count: 5,
    gmv_cents: 5 * price,
    commission_cents: 5 * 50_000_000_000,
    currency: 'USD',
  });
});
