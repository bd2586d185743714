import path from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { got, walked } from '../support/calls.ts';
import { linkFor, type Sale } from '../support/money.ts';
import type { Order } from '../support/orders.ts';
import { sandbox } from '../support/sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';
import { anyNth, dealAtPrice, mixOf, order, Played, pass, plain, SOLD } from './random-sales.ts';

const START = Date.parse('2026-03-02T09:00:00.000Z');
const DAY = 86_400_000;

const step = mixOf(
  [5, order],
  [5, anyNth('checkout', 'click')],
  [1, dealAtPrice],
  [7, anyNth('refund order', 'advance order', 'deliver', 'refund sale')],
  [4, pass],
  [3, plain('settle', 'pay out', 'save', 'restore', 'fork')],
);

/** Moments to ask about: within days, at their ends, before everything and after. */
const moment = fc
  .record({ day: fc.integer({ min: -1, max: 40 }), hour: fc.constantFrom(0, 0, 9, 10, 16, 23.999) })
  .map(({ day, hour }) => Math.floor(START / DAY + day) * DAY + hour * 3_600_000)
  .map((ms) => new Date(ms).toISOString());
const STATUSES = [
  ...['EXTERNALLY_PAID', 'TRANSFER_COMPLETED', 'SETTLED', 'REFUNDED', 'PAID', 'DELIVERED'],
];
type Question = Partial<Record<'from' | 'to' | 'status' | 'payment_model' | 'domain', string>>;
const question: fc.Arbitrary<Question> = fc.record(
  {
    from: moment,
    to: moment,
    status: fc.constantFrom(...STATUSES),
    payment_model: fc.constantFrom('partner_collected', 'marketplace_collected', 'brokerage'),
    domain: fc.constantFrom(...SOLD.map(({ domain }) => domain)),
  },
  { requiredKeys: [] },
);

test('every sum and every list agrees with the rows, after any actions in any order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 40 }),
      fc.array(question, { minLength: 6, maxLength: 6 }),
      async (steps, questions) => {
        const dataDir = stateFolder();
        const at = await sandbox({ dataDir, rateLimits: false, inventory: 20 });
        const played = new Played(at, [await linkFor(at), await linkFor(at)]);
        for (const [n, each] of steps.entries()) await played.take(each, n);
        await at.idle();
        for (const name of ['default', ...played.worlds]) {
          theSumsAreThoseOfTheRows(path.join(dataDir, 'worlds', `${name}.db`));
        }
        const sales = (await walked<Sale>(at, '/transactions', 'transactions')).rows;
        const orders = (await walked<Order>(at, '/orders', 'orders')).rows;
        await theStatusFits(at, path.join(dataDir, 'worlds/default.db'));
        for (const asked of questions) {
          await theTransactionsFit(at, sales, asked);
          await theOrdersFit(at, orders, asked);
          await theReportsFit(at, path.join(dataDir, 'worlds/default.db'), sales, asked);
        }
        await at.close();
      },
    ),
    { numRuns: 5 },
  );
});

/** Pairs of queries that must give the same rows. */
const TWICE_KEPT: readonly (readonly [kept: string, recounted: string])[] = [
  [
    'SELECT id, clicks, sales FROM links',
    `SELECT id, (SELECT count(*) FROM clicks WHERE link_id = links.id) AS clicks,
       (SELECT count(*) FROM transactions WHERE link_id = links.id AND status <> 'REFUNDED') AS sales
     FROM links`,
  ],
  [
    'SELECT id, order_count, gross_cents, commission_cents FROM settlement_periods WHERE order_count > 0 ORDER BY id',
    `SELECT statement_id AS id, count(*) AS order_count, sum(sale_price_cents) AS gross_cents,
       sum(commission_cents) AS commission_cents
     FROM orders WHERE statement_id IS NOT NULL GROUP BY 1 ORDER BY 1`,
  ],
  [
    'SELECT id, amount_cents FROM payouts ORDER BY id',
    `SELECT payout_id AS id, sum(amount_cents) AS amount_cents
     FROM ledger WHERE payout_id IS NOT NULL GROUP BY 1 ORDER BY 1`,
  ],
  [
    'SELECT id, payout_id FROM transactions WHERE payout_id IS NOT NULL ORDER BY id',
    "SELECT transaction_id AS id, payout_id FROM ledger WHERE entry = 'PAID_OUT' ORDER BY 1",
  ],
];

function theSumsAreThoseOfTheRows(file: string): void {
  const db = new Database(file, { readonly: true });
  for (const [kept, recounted] of TWICE_KEPT) {
    expect(db.prepare(kept).all(), kept).toEqual(db.prepare(recounted).all());
  }
  db.close();
}

async function theStatusFits(at: InProcessSandbox, file: string): Promise<void> {
  const db = new Database(file, { readonly: true });
  const count = db
    .prepare("SELECT count(*) FROM listings WHERE environment = 'SANDBOX' AND status = ?")
    .pluck();
  const counted = { listed: count.get('listed'), sold: count.get('sold') };
  db.close();
  expect(await at.control.get('/status')).toMatchObject({
    inventory: { SANDBOX: counted, LIVE: { listed: 0, sold: 0 } },
  });
}

function within(
  { from = '', to = '~' }: Question,
  { created_at }: { created_at: string },
): boolean {
  return created_at >= from && created_at < to;
}

function queryOf(asked: Question, names: readonly (keyof Question)[]): string {
  const given = names.filter((name) => asked[name] !== undefined);
  return given.map((name) => `&${name}=${asked[name]}`).join('');
}

async function theTransactionsFit(at: InProcessSandbox, sales: Sale[], asked: Question) {
  const query = queryOf(asked, ['from', 'to', 'status', 'payment_model']);
  const fitting = sales.filter(
    (sale) =>
      within(asked, sale) &&
      (asked.status ?? sale.status) === sale.status &&
      (asked.payment_model ?? sale.payment_model) === sale.payment_model,
  );
  const listed = await walked<Sale>(at, `/transactions?${query.slice(1)}`, 'transactions', {
    limit: 1,
  });
  expect(listed.rows, query).toEqual(fitting);
  const { totals } = await got<{ totals: object }>(at, `/transactions?limit=1${query}`);
  expect(totals, query).toEqual({ ...sumsOf(fitting), currency: 'USD' });
}

function sumsOf(sales: readonly Sale[]) {
  const counted = sales.filter(({ status }) => status !== 'REFUNDED' && status !== 'CANCELLED');
  return {
    count: counted.length,
    gmv_cents: counted.reduce((sum, sale) => sum + sale.sale_price_cents, 0),
    commission_cents: counted.reduce((sum, sale) => sum + sale.commission_cents, 0),
  };
}

async function theOrdersFit(at: InProcessSandbox, orders: Order[], asked: Question) {
  const status = ['PAID', 'DELIVERED'].includes(asked.status ?? '') ? undefined : asked.status;
  const fitting = orders.filter(
    (order) =>
      within(asked, order) &&
      (status ?? order.status) === order.status &&
      (asked.domain ?? order.domain) === order.domain,
  );
  const names = [
    'from',
    'to',
    'domain',
    ...(status === undefined ? [] : ['status' as const]),
  ] as const;
  const query = queryOf(asked, names).slice(1);
  const listed = await walked<Order>(at, `/orders?${query}`, 'orders', { limit: 3 });
  expect(listed.rows, query).toEqual(fitting);
  const { from, to, ...input } = Object.fromEntries(new URLSearchParams(query));
  const all = await at.control.get<{ orders: Order[] }>('/orders', { ...input, limit: 100 });
  const ofAnyTime = orders.filter(
    (order) =>
      (status ?? order.status) === order.status && (asked.domain ?? order.domain) === order.domain,
  );
  expect(all.orders.map(({ public_id }) => public_id)).toEqual(
    ofAnyTime.slice(0, 100).map(({ public_id }) => public_id),
  );
}

async function theReportsFit(at: InProcessSandbox, file: string, sales: Sale[], asked: Question) {
  const db = new Database(file, { readonly: true });
  const momentsOf = (table: string, column: string) =>
    (db.prepare(`SELECT ${column} FROM ${table}`).pluck().all() as number[])
      .map((ms) => new Date(ms).toISOString())
      .filter((created_at) => within(asked, { created_at }));
  const [clicks, checkouts] = [
    momentsOf('clicks', 'at'),
    momentsOf('checkout_sessions', 'created_at'),
  ];
  db.close();
  const query = queryOf(asked, ['from', 'to']).slice(1);
  const days = Map.groupBy(clicks, (click) => click.slice(0, 10));
  expect(await got(at, `/me/clicks?${query}`)).toMatchObject({
    total_clicks: clicks.length,
    days: [...days]
      .map(([date, each]) => ({ date, clicks: each.length }))
      .toSorted((a, b) => (a.date < b.date ? -1 : 1)),
  });
  const fitting = sales.filter((sale) => within(asked, sale));
  const { commission_cents, ...orders } = sumsOf(fitting);
  const collected = fitting.filter((sale) => sale.payment_model === 'marketplace_collected');
  expect(await got(at, `/analytics?${query}`)).toMatchObject({
    funnel: { clicks: clicks.length, checkouts: checkouts.length, sales: sumsOf(collected).count },
    orders,
    commission_cents,
  });
}
