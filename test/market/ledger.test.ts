import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { sandbox } from '../support/sandbox.ts';

const API = '/api/partner/v1';
/** Sold over and over, so that no sequence runs out of things to sell. */
const EVERGREEN = { domain: 'auto-complete.test', price: 199_900 };

type Step =
  | { do: 'order' }
  | { do: 'checkout' }
  | { do: 'deal'; price: number }
  | { do: 'refund order' | 'advance order' | 'deliver' | 'refund sale'; nth: number }
  | { do: 'settle' | 'pay out' | 'a day passes' | 'a month passes' };

const nth = fc.nat(30);
const deal = fc.record({
  do: fc.constant('deal' as const),
  price: fc.integer({ min: 1, max: 5_000_001 }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Step>({ do: 'order' }) },
  { weight: 4, arbitrary: fc.constant<Step>({ do: 'checkout' }) },
  { weight: 1, arbitrary: deal },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'refund order' as const,
        'advance order' as const,
        'deliver' as const,
        'refund sale' as const,
      ),
      nth,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Step>(
      { do: 'settle' },
      { do: 'pay out' },
      { do: 'pay out' },
      { do: 'a day passes' },
      { do: 'a month passes' },
    ),
  },
);

/** Commissions of different amounts, of which many are reversed after they were paid out. */
const payoutStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: deal },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('deliver' as const), nth }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('refund sale' as const), nth }) },
  { weight: 2, arbitrary: fc.constant<Step>({ do: 'pay out' }) },
);

/** Settlement runs of which several fall into one millisecond. */
const settlementStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Step>({ do: 'order' }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('advance order' as const), nth }) },
  { weight: 3, arbitrary: fc.constant<Step>({ do: 'settle' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'a month passes' }) },
);

interface Transaction {
  transaction_id: string;
  payment_model: string;
  status: string;
  sale_price_cents: number;
  commission_cents: number;
  order_public_id: string | null;
}
interface Commission {
  status: 'ACCRUED' | 'PENDING' | 'PAID_OUT' | 'REVERSED';
  transaction_id: string;
  amount_cents: number;
  balance_cents: number;
}
interface Statement {
  status: string;
  period_start: string;
  period_end: string;
  order_count: number;
  gross_sold_cents: number;
  commission_retained_cents: number;
  amount_owed_cents: number;
}

test.each([
  ['any actions', step],
  ['deals, refunds and payouts', payoutStep],
  ['settlement runs', settlementStep],
])('money neither appears nor vanishes, after %s in any order', async (_, anyStep) => {
  const shop = await sandbox({ rateLimits: false });
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 20, maxLength: 60 }), async (steps) => {
      await shop.reset();
      const played = await play(shop, steps);
      await theBooksBalance(shop, played);
    }),
    { numRuns: 5 },
  );
});

/** What was asked for and not rejected: the marketplace as the test remembers it. */
interface Played {
  orders: string[];
  sales: string[];
}

async function play(shop: InProcessSandbox, steps: readonly Step[]): Promise<Played> {
  const played: Played = { orders: [], sales: [] };
  for (const [n, each] of steps.entries()) await take(shop, each, n, played);
  return played;
}

async function take(shop: InProcessSandbox, each: Step, n: number, played: Played): Promise<void> {
  const control = (path: string, body: object = {}) =>
    shop.control.post<Record<string, string>>(path, body).catch(() => undefined);
  const of = (list: string[], at: number) => list[at % Math.max(1, list.length)] ?? 'none';
  switch (each.do) {
    case 'order': {
      const { domain, price } = EVERGREEN;
      const body = { domain, expected_price: price, currency: 'USD', buyer: { email: 'a@b.co' } };
      const headers = { 'Idempotency-Key': `step-${n}` };
      const order = await post(shop, '/orders', body, headers);
      played.orders.push(order.public_id ?? 'rejected');
      return;
    }
    case 'checkout': {
      const session = await post(shop, '/checkout-session', { domain: EVERGREEN.domain });
      const sale = await control(`/checkout-sessions/${session.session_id}/pay`);
      if (sale?.transaction_id) played.sales.push(sale.transaction_id);
      return;
    }
    case 'deal': {
      const body = {
        domain: `wanted-${n}.com`,
        tier: 'managed',
        buyer_email: 'a@b.co',
        budget: 100,
      };
      const opened = await post(shop, '/brokerage', body);
      await control(`/brokerage/${opened.case_id}/advance`, {
        to: 'COMPLETED',
        deal_price_cents: each.price,
      });
      const path = '/transactions?payment_model=brokerage&limit=1';
      const { transactions } = await get<{ transactions: Transaction[] }>(shop, path);
      for (const { transaction_id } of transactions) played.sales.push(transaction_id);
      return;
    }
    case 'refund order': {
      const body = { public_id: of(played.orders, each.nth) };
      await shop.call({ method: 'POST', target: `${API}/refunds`, body });
      return;
    }
    case 'advance order':
      return void (await control(`/orders/${of(played.orders, each.nth)}/advance`));
    case 'deliver':
      return void (await control(`/transactions/${of(played.sales, each.nth)}/deliver`));
    case 'refund sale':
      return void (await control(`/transactions/${of(played.sales, each.nth)}/refund`));
    case 'settle':
      return void (await control('/settlements/run'));
    case 'pay out':
      return payOut(shop);
    case 'a day passes':
      return void (await control('/clock/advance', { by: '1d' }));
    case 'a month passes':
      return void (await control('/clock/advance', { by: '31d' }));
  }
}

/**
 * Checks that a run pays what is delivered and not refunded, less all that was paid before, and that its entries are one
 * per sale, oldest first, of which the first are reduced.
 */
async function payOut(shop: InProcessSandbox): Promise<void> {
  const sales = (await all<Transaction>(shop, '/transactions', 'transactions')).reverse();
  const delivered = sales.filter(({ status }) => status === 'DELIVERED');
  const before = await get<{ total_paid_cents: number }>(shop, '/me/payouts');
  const linesBefore = await all<Commission>(shop, '/me/commissions', 'commissions');
  const due = total(delivered, 'commission_cents') - before.total_paid_cents;
  const run = await shop.control.post<{ payouts: { amount_cents: number }[] }>('/payouts/run');
  expect(run.payouts.map(({ amount_cents }) => amount_cents)).toEqual(due > 0 ? [due] : []);

  const lines = await all<Commission>(shop, '/me/commissions', 'commissions');
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
  const entries = lines.slice(0, lines.length - linesBefore.length).reverse();
  expect(entries).toMatchObject(due > 0 ? expected : []);
  expect(total(entries, 'amount_cents')).toBe(Math.max(0, due));
}

async function theBooksBalance(shop: InProcessSandbox, played: Played): Promise<void> {
  const sales = await all<Transaction>(shop, '/transactions', 'transactions');
  const counted = sales.filter(({ status }) => status !== 'REFUNDED' && status !== 'CANCELLED');
  const ofOrders = sales.filter((sale) => sale.order_public_id !== null);
  expect(new Set(ofOrders.map((sale) => sale.order_public_id))).toEqual(new Set(played.orders));

  // Totals cover the whole filter on every page; reports agree with them.
  const { totals } = await get<{ totals: Record<string, unknown> }>(shop, '/transactions?limit=1');
  const expected = {
    count: counted.length,
    gmv_cents: total(counted, 'sale_price_cents'),
    commission_cents: total(counted, 'commission_cents'),
  };
  expect(totals).toEqual({ ...expected, currency: 'USD' });
  expect(await get(shop, '/analytics')).toMatchObject({
    orders: { count: expected.count, gmv_cents: expected.gmv_cents },
    commission_cents: expected.commission_cents,
  });

  // The running balance is the sum of the lines below it, and ends at what was earned and not paid out.
  const lines = (await all<Commission>(shop, '/me/commissions', 'commissions')).reverse();
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
  const payouts = await all<{ amount_cents: number }>(shop, '/payouts', 'payouts');
  expect(total(payouts, 'amount_cents')).toBe(total(paid, 'amount_cents'));
  expect(await get(shop, '/me/payouts')).toMatchObject({
    total_paid_cents: total(paid, 'amount_cents'),
  });

  // Statements follow each other without gaps, and hold every completed order once.
  const statements = (await all<Statement>(shop, '/settlements', 'settlements')).reverse();
  for (const [n, statement] of statements.entries()) {
    const next = statements[n + 1];
    if (next) expect(next.period_start).toBe(statement.period_end);
    expect(statement.period_start < statement.period_end).toBe(true);
    expect(statement.amount_owed_cents).toBe(
      statement.gross_sold_cents - statement.commission_retained_cents,
    );
  }
  const delivered = ofOrders.filter(
    ({ status }) => status === 'TRANSFER_COMPLETED' || status === 'SETTLED',
  );
  expect(total(statements, 'order_count')).toBe(delivered.length);
  expect(total(statements, 'gross_sold_cents')).toBe(total(delivered, 'sale_price_cents'));
  const closed = statements.filter(({ status }) => status === 'CLOSED');
  expect(total(closed, 'order_count')).toBe(
    delivered.filter(({ status }) => status === 'SETTLED').length,
  );
}

async function post(
  shop: InProcessSandbox,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Record<string, string>> {
  const response = await shop.call({ method: 'POST', target: API + path, body, headers });
  return (await response.json()) as Record<string, string>;
}

async function get<T>(shop: InProcessSandbox, target: string): Promise<T> {
  return (await shop.call({ method: 'GET', target: API + target })).json() as Promise<T>;
}

async function all<Row>(shop: InProcessSandbox, path: string, name: string): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const query: string =
      cursor === null ? '?limit=7' : `?limit=7&cursor=${encodeURIComponent(cursor)}`;
    const page: Record<string, unknown> = await get(shop, path + query);
    rows.push(...(page[name] as Row[]));
    cursor = page.next_cursor as string | null;
  } while (cursor !== null);
  return rows;
}

function total<Name extends string>(rows: readonly Record<Name, number>[], name: Name): number {
  return rows.reduce((sum, row) => sum + row[name], 0);
}
