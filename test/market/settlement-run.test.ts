import { expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { settlementRun } from '../../src/market/settlements/statement.ts';
import { magic, type Order, orderBody, requestOrder } from '../support/orders.ts';
import { answered } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';

const ORDERS = 1_000;
const PRICE = 199_900;

interface Run {
  settled_count: number;
  orders: { public_id: string }[];
  statements: { statement_id: string; status: string; order_count: number }[];
}

const settle = (at: InProcessSandbox) => at.control.post<Run>('/settlements/run');

/** Places orders and completes their transfers. */
async function complete(at: InProcessSandbox, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await answered(await requestOrder(at, orderBody(magic('auto-complete', PRICE))), 201);
  }
  await at.control.post('/clock/advance', { by: '2s' });
}

async function countByStatus(at: InProcessSandbox, status: string): Promise<number> {
  let [count, cursor] = [0, undefined as string | undefined];
  do {
    const page = await at.control.get<{ orders: Order[]; next_cursor: string | null }>('/orders', {
      status,
      limit: 100,
      cursor,
    });
    count += page.orders.length;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return count;
}

async function statements(at: InProcessSandbox) {
  const target = '/api/partner/v1/settlements';
  const response = await at.call({ method: 'GET', target });
  return (await answered<{ settlements: object[] }>(response, 200)).settlements;
}

const FULL = { status: 'CLOSED', order_count: ORDERS, gross_sold_cents: ORDERS * PRICE };

test('a settlement run settles a thousand orders in one transaction', async () => {
  const at = await sandbox({ rateLimits: false });
  await complete(at, ORDERS);
  const { settled_count, orders, statements: closed } = await settle(at);
  expect(settled_count).toBe(ORDERS);
  expect(new Set(orders.map(({ public_id }) => public_id)).size).toBe(ORDERS);
  expect(closed).toMatchObject([FULL]);
  expect(await countByStatus(at, 'SETTLED')).toBe(ORDERS);
  expect(await statements(at)).toMatchObject([{ status: 'OPEN', order_count: 0 }, FULL]);
});

test('a settlement run counts all of its orders and lists the first 10,000', () => {
  const settled = Array.from({ length: 10_001 }, (_, n) => ({
    id: `ord_${n}`,
    partner: 'local',
    partnerId: 'ptr_local',
    environment: 'SANDBOX' as const,
  }));
  const { settled_count, orders } = settlementRun.view({ settledOrders: settled, statements: [] });
  expect(settled_count).toBe(10_001);
  expect(orders).toHaveLength(10_000);
});
