import { describe, expect, test } from 'vitest';
import { startServer } from '../../src/server/start-server.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { answered } from '../support/answers.ts';
import { got, send, walked } from '../support/calls.ts';
import { type OldOrder, rowsIn, stateOfFirstSchema } from '../support/first-schema.ts';
import {
  checkoutSale,
  commissions,
  RESOLD,
  type Sale,
  type Statement,
  settle,
  statements,
} from '../support/money.ts';
import { sandbox } from '../support/sandbox.ts';
import { digestOf } from '../support/state-folder.ts';
import { mint, mintLive, type Order, orderFor } from '../support/trade.ts';

const NOW = '2026-03-20T12:00:00.000Z';

function old(n: number, status: string, more: Partial<OldOrder> = {}): OldOrder {
  const price = 100_000 + n;
  const day = String(n + 1).padStart(2, '0');
  const time = `2026-03-${day}T10:00:00.000Z`;
  const done = status === 'TRANSFER_COMPLETED' || status === 'SETTLED';
  return {
    partner: 'ptr_local',
    environment: 'SANDBOX',
    domain: `old-${n}.example`,
    status,
    price,
    commission: Math.floor((price * 15 + 50) / 100),
    created: time,
    updated: time,
    completed: done ? time : null,
    ...more,
  };
}

const FEBRUARY = '2026-02-10T10:00:00.000Z';
const ORDERS: readonly OldOrder[] = [
  old(0, 'SETTLED', { created: FEBRUARY, updated: FEBRUARY, completed: FEBRUARY }),
  old(1, 'TRANSFER_COMPLETED', { created: FEBRUARY, updated: FEBRUARY, completed: FEBRUARY }),
  old(2, 'EXTERNALLY_PAID'),
  old(3, 'REFUNDED', { updated: '2026-03-15T00:00:00.000Z' }),
  old(4, 'SETTLED'),
  old(5, 'EXTERNALLY_PAID', { partner: 'ptr_other' }),
  old(6, 'CANCELLED', { updated: '2026-03-16T00:00:00.000Z' }),
  old(7, 'MANUAL_REVIEW'),
  old(8, 'TRANSFER_COMPLETED', { environment: 'LIVE' }),
  old(9, 'TRANSFER_IN_PROGRESS'),
  old(10, 'TRANSFER_COMPLETED'),
  old(11, 'REFUNDED', { partner: 'ptr_other' }),
];
const MINE = ORDERS.filter(
  ({ partner, environment }) => partner === 'ptr_local' && environment === 'SANDBOX',
);

async function opened(orders: readonly OldOrder[] = ORDERS) {
  const folder = stateOfFirstSchema(orders, NOW);
  const at = await sandbox({ dataDir: folder, rateLimits: false });
  return { at, folder };
}

function totalsOf(orders: readonly OldOrder[]) {
  const counted = orders.filter(({ status }) => status !== 'REFUNDED' && status !== 'CANCELLED');
  return {
    count: counted.length,
    gmv_cents: counted.reduce((sum, order) => sum + order.price, 0),
    commission_cents: counted.reduce((sum, order) => sum + order.commission, 0),
    currency: 'USD',
  };
}

interface Page {
  transactions: Sale[];
  totals: { count: number; gmv_cents: number; commission_cents: number };
}

function sumOf(list: readonly Statement[], name: 'order_count' | 'gross_sold_cents'): number {
  return list.reduce((sum, each) => sum + each[name], 0);
}

describe('a state from before the ledger', () => {
  test('is brought up to date once, and opened again as it is', async () => {
    const { at, folder } = await opened();
    expect(rowsIn(folder, 'PRAGMA user_version')).toEqual([{ user_version: MIGRATIONS.length }]);
    await at.close();
    const before = digestOf(folder);
    const again = await sandbox({ dataDir: folder });
    expect(digestOf(folder)).toBe(before);
    expect(await got<Page>(again, '/transactions')).toMatchObject({ totals: totalsOf(MINE) });
  });

  test('is said to be brought up to date when it is, and not again', async () => {
    const dataDir = stateOfFirstSchema(ORDERS, NOW);
    const told: string[] = [];
    const start = () =>
      startServer({ data_dir: dataDir, port: 0 }, { onUpgrade: (world) => told.push(world) });
    await (await start()).close();
    expect(told).toEqual(['default']);
    await (await start()).close();
    expect(told).toEqual(['default']);
  });

  test('has a transaction for every order, newest first, in the order’s own state', async () => {
    const { at } = await opened();
    const { transactions, totals } = await got<Page>(at, '/transactions?limit=100');
    const { orders } = await got<{ orders: Order[] }>(at, '/orders?limit=100');
    expect(transactions.map((sale) => sale.order_public_id)).toEqual(
      orders.map((order) => order.public_id),
    );
    expect(transactions).toMatchObject(
      MINE.toReversed().map((order) => ({
        domain: order.domain,
        payment_model: 'partner_collected',
        status: order.status,
        sale_price_cents: order.price,
        commission_cents: order.commission,
        created_at: order.created,
      })),
    );
    expect(totals).toEqual(totalsOf(MINE));
  });

  test('keeps partners and environments apart', async () => {
    const { at } = await opened();
    const other = await mint(at, { partner: 'other' });
    const live = await mintLive(at, { partner: 'local' });
    const [theirs, ours] = [
      ORDERS.filter(({ partner }) => partner === 'ptr_other'),
      ORDERS.filter(({ environment }) => environment === 'LIVE'),
    ];
    for (const [key, orders] of [
      [other, theirs],
      [live, ours],
    ] as const) {
      const page = await got<Page>(at, '/transactions', key);
      expect(page.transactions).toHaveLength(orders.length);
      expect(page.totals).toEqual(totalsOf(orders));
    }
  });

  test('has a ledger whose balances run and end where they must', async () => {
    const { folder } = await opened();
    const lines = rowsIn<Record<string, string | number>>(
      folder,
      'SELECT * FROM ledger ORDER BY id',
    );
    expect(lines).toHaveLength(2 * ORDERS.length + 2 * 3);
    const balances = new Map<string, number>();
    for (const line of lines) {
      const account = `${line.partner_id} ${line.environment} ${line.account}`;
      const balance = (balances.get(account) ?? 0) + Number(line.delta_cents);
      expect(line.balance_cents, String(line.id)).toBe(balance);
      balances.set(account, balance);
    }
    const { gmv_cents, commission_cents } = totalsOf(MINE);
    expect(balances.get('ptr_local SANDBOX sales')).toBe(gmv_cents);
    expect(balances.get('ptr_local SANDBOX retained')).toBe(commission_cents);
    expect(rowsIn(folder, 'PRAGMA foreign_key_check')).toEqual([]);
  });

  test('agrees with itself in every report', async () => {
    const { at } = await opened();
    const { count, gmv_cents, commission_cents } = totalsOf(MINE);
    expect(await got(at, '/analytics')).toMatchObject({
      funnel: { clicks: 0, checkouts: 0, sales: 0 },
      orders: { count, gmv_cents },
      commission_cents,
    });
    expect(await commissions(at)).toEqual([]);
    expect(await got(at, '/me/sales')).toEqual({ sales: [], next_cursor: null });
    expect(await got(at, '/payouts')).toEqual({ payouts: [], next_cursor: null });
    const refunded = await got<Page>(at, '/transactions?status=REFUNDED');
    expect(refunded).toMatchObject({ transactions: [{ domain: 'old-3.example' }] });
  });

  test('gives out no id twice, and new ones sort after the old', async () => {
    const { at, folder } = await opened();
    const order = await orderFor(at, RESOLD);
    const sale = await checkoutSale(at);
    await answered(await send(at, '/refunds', { public_id: order.public_id }), 201);
    const { rows } = await walked<Sale>(at, '/transactions', 'transactions', { limit: 3 });
    expect(rows.slice(0, 2)).toMatchObject([
      { transaction_id: sale.transaction_id },
      { order_public_id: order.public_id, status: 'REFUNDED' },
    ]);
    expect(rows).toHaveLength(MINE.length + 2);
    expect(rows.map((row) => row.transaction_id)).toEqual(
      rows
        .map((row) => row.transaction_id)
        .toSorted()
        .toReversed(),
    );
    const entries = rowsIn<{ entry: string; balance_cents: number }>(
      folder,
      "SELECT entry, balance_cents FROM ledger WHERE partner_id = 'ptr_local' AND environment = 'SANDBOX' AND account = 'sales' ORDER BY id DESC LIMIT 3",
    );
    const { gmv_cents } = totalsOf(MINE);
    expect(entries).toEqual([
      { entry: 'REFUND', balance_cents: gmv_cents + 250_000 },
      { entry: 'SALE', balance_cents: gmv_cents + 500_000 },
      { entry: 'SALE', balance_cents: gmv_cents + 250_000 },
    ]);
  });

  test('lets an old order be refunded, with its lines in the ledger', async () => {
    const { at } = await opened();
    const path = '/orders?status=EXTERNALLY_PAID';
    const { orders } = await got<{ orders: Order[] }>(at, path);
    const [order] = orders;
    await answered(await send(at, '/refunds', { public_id: order?.public_id }), 201);
    const { totals } = await got<Page>(at, '/transactions');
    const before = totalsOf(MINE);
    expect(totals).toMatchObject({
      count: before.count - 1,
      gmv_cents: before.gmv_cents - (order?.sale_price_cents ?? 0),
    });
  });

  test('counts old orders in the month in which they completed, before a run and after it', async () => {
    const { at } = await opened();
    const before = await statements(at);
    expect(before.map((each) => [each.period_start, each.order_count])).toEqual([
      ['2026-01-01T00:00:00.000Z', 0],
      ['2026-02-01T00:00:00.000Z', 2],
      ['2026-03-01T00:00:00.000Z', 2],
    ]);
    const run = await settle(at, 'ptr_local');
    // Two were settled before there were statements; LIVE has one as well.
    expect(run.settled_count).toBe(3);
    const after = await statements(at);
    expect(after.slice(0, 3).map((each) => [each.status, each.order_count])).toEqual([
      ['CLOSED', 0],
      ['CLOSED', 2],
      ['CLOSED', 2],
    ]);
    for (const name of ['order_count', 'gross_sold_cents'] as const) {
      expect(sumOf(after, name)).toBe(sumOf(before, name));
    }
    expect(await settle(at)).toMatchObject({ settled_count: 0 });
  });

  test('tells nobody again of what was settled long ago', async () => {
    const { at } = await opened();
    await settle(at);
    const { events } = await at.control.get<{ events: { data: { order: Order } }[] }>('/events', {
      type: 'order.settled',
    });
    expect(events.map(({ data }) => data.order.domain).toSorted()).toEqual([
      'old-1.example',
      'old-10.example',
      'old-8.example',
    ]);
  });
});

test('a state from before the ledger without a single order starts its ids from the beginning', async () => {
  const { at } = await opened([]);
  expect(await got(at, '/transactions')).toMatchObject({ transactions: [], totals: { count: 0 } });
  await orderFor(at, RESOLD);
  const { transactions } = await got<Page>(at, '/transactions');
  expect(transactions[0]?.transaction_id).toMatch(/^txn_0000001/);
});
