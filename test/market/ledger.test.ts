import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { got, walked } from '../support/calls.ts';
import { commissions, payouts, type Sale, statements } from '../support/money.ts';
import { sandbox } from '../support/sandbox.ts';
import { anyNth, dealAtPrice, mixOf, order, Played, pass, plain } from './random-sales.ts';

const step = mixOf(
  [4, order],
  [4, anyNth('checkout')],
  [1, dealAtPrice],
  [8, anyNth('refund order', 'advance order', 'deliver', 'refund sale')],
  [2, plain('settle', 'pay out', 'pay out')],
  [1, pass],
);

/** Commissions of different amounts, of which many are reversed after they were paid out. */
const payoutStep = mixOf(
  [4, dealAtPrice],
  [6, anyNth('deliver')],
  [2, anyNth('refund sale')],
  [2, plain('pay out')],
);

/** Settlement runs of which several fall into one millisecond. */
const settlementStep = mixOf(
  [2, order],
  [6, anyNth('advance order')],
  [3, plain('settle')],
  [1, pass],
);

test.each([
  ['any actions', step],
  ['deals, refunds and payouts', payoutStep],
  ['settlement runs', settlementStep],
])('money neither appears nor vanishes, after %s in any order', async (_, anyStep) => {
  const shop = await sandbox({ rateLimits: false });
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 20, maxLength: 60 }), async (steps) => {
      await shop.reset();
      const played = new Played(shop);
      for (const [n, each] of steps.entries()) {
        await (each.do === 'pay out' ? payOut(shop) : played.take(each, n));
      }
      await theBooksBalance(shop, played);
    }),
    { numRuns: 5 },
  );
});

/**
 * Checks that a run pays what is delivered and not refunded, less all that was paid before, and that its entries are one
 * per sale, oldest first, of which the first are reduced.
 */
async function payOut(shop: InProcessSandbox): Promise<void> {
  const delivered = (await salesOf(shop))
    .toReversed()
    .filter(({ status }) => status === 'DELIVERED');
  const before = await got<{ total_paid_cents: number }>(shop, '/me/payouts');
  const linesBefore = await commissions(shop);
  const due = total(delivered, 'commission_cents') - before.total_paid_cents;
  const run = await shop.control.post<{ payouts: { amount_cents: number }[] }>('/payouts/run');
  expect(run.payouts.map(({ amount_cents }) => amount_cents)).toEqual(due > 0 ? [due] : []);

  const lines = await commissions(shop);
  const paidBefore = new Set(
    linesBefore.flatMap((line) => (line.status === 'PAID_OUT' ? [line.transaction_id] : [])),
  );
  const unpaid = delivered.filter(({ transaction_id }) => !paidBefore.has(transaction_id));
  let deducted = total(unpaid, 'commission_cents') - due;
  const expected = unpaid.map(({ transaction_id, commission_cents }) => {
    const reduction = Math.min(deducted, commission_cents);
    deducted -= reduction;
    return { status: 'PAID_OUT', transaction_id, amount_cents: commission_cents - reduction };
  });
  const entries = lines.slice(linesBefore.length);
  expect(entries).toMatchObject(due > 0 ? expected : []);
  expect(total(entries, 'amount_cents')).toBe(Math.max(0, due));
}

async function theBooksBalance(shop: InProcessSandbox, played: Played): Promise<void> {
  const sales = await salesOf(shop);
  const counted = sales.filter(({ status }) => status !== 'REFUNDED' && status !== 'CANCELLED');
  const ofOrders = sales.filter((sale) => sale.order_public_id !== null);
  expect(new Set(ofOrders.map((sale) => sale.order_public_id))).toEqual(new Set(played.orders));

  // Totals cover the whole filter on every page; reports agree with them.
  const { totals } = await got<{ totals: Record<string, unknown> }>(shop, '/transactions?limit=1');
  const expected = {
    count: counted.length,
    gmv_cents: total(counted, 'sale_price_cents'),
    commission_cents: total(counted, 'commission_cents'),
  };
  expect(totals).toEqual({ ...expected, currency: 'USD' });
  expect(await got(shop, '/analytics')).toMatchObject({
    orders: { count: expected.count, gmv_cents: expected.gmv_cents },
    commission_cents: expected.commission_cents,
  });

  // The running balance is the sum of the lines below it, and ends at what was earned and not paid out.
  const lines = await commissions(shop);
  const sign = { ACCRUED: 1, PENDING: 0, PAID_OUT: -1, REVERSED: -1 };
  let balance = 0;
  for (const line of lines) {
    balance += sign[line.status] * line.amount_cents;
    expect(line.balance_cents).toBe(balance);
  }
  const paid = lines.filter((line) => line.status === 'PAID_OUT');
  const settled = new Set(paid.map((line) => line.transaction_id));
  const earned = counted.filter((sale) => sale.payment_model !== 'partner_collected');
  expect(balance).toBe(total(earned, 'commission_cents') - total(paid, 'amount_cents'));

  // Payouts are those lines, each once.
  expect(settled.size).toBe(paid.length);
  expect(total(await payouts(shop), 'amount_cents')).toBe(total(paid, 'amount_cents'));
  expect(await got(shop, '/me/payouts')).toMatchObject({
    total_paid_cents: total(paid, 'amount_cents'),
  });

  // Statements follow each other without gaps, and hold every completed order once.
  const periods = await statements(shop);
  for (const [n, statement] of periods.entries()) {
    const next = periods[n + 1];
    if (next) expect(next.period_start).toBe(statement.period_end);
    expect(statement.period_start < statement.period_end).toBe(true);
    expect(statement.amount_owed_cents).toBe(
      statement.gross_sold_cents - statement.commission_retained_cents,
    );
  }
  const delivered = ofOrders.filter(
    ({ status }) => status === 'TRANSFER_COMPLETED' || status === 'SETTLED',
  );
  expect(total(periods, 'order_count')).toBe(delivered.length);
  expect(total(periods, 'gross_sold_cents')).toBe(total(delivered, 'sale_price_cents'));
  const closed = periods.filter(({ status }) => status === 'CLOSED');
  expect(total(closed, 'order_count')).toBe(
    delivered.filter(({ status }) => status === 'SETTLED').length,
  );
}

async function salesOf(shop: InProcessSandbox): Promise<Sale[]> {
  return (await walked<Sale>(shop, '/transactions', 'transactions', undefined, 7)).rows;
}

function total<Name extends string>(rows: readonly Record<Name, number>[], name: Name): number {
  return rows.reduce((sum, row) => sum + row[name], 0);
}
