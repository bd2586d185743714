import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { got } from '../support/calls.ts';
import { checkoutSale, deal, type Sale, settle, statements } from '../support/money.ts';
import { magic, type Order, orderBody, requestOrder } from '../support/orders.ts';
import { answered } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';

const MOVING = 'price-moves.test';
const PERCENT = { partner_collected: 15n, marketplace_collected: 10n, brokerage: 5n };

/** Half up, by whole numbers only: computed once more. */
function commissionOf(cents: number, model: keyof typeof PERCENT): number {
  return Number((BigInt(cents) * PERCENT[model] * 2n + 100n) / 200n);
}

test('the rule itself: a half goes up, less than a half goes down', () => {
  expect(commissionOf(103_030, 'partner_collected')).toBe(15_455);
  expect(commissionOf(5, 'marketplace_collected')).toBe(1);
  expect(commissionOf(4, 'marketplace_collected')).toBe(0);
  expect(commissionOf(29, 'brokerage')).toBe(1);
  expect(commissionOf(30, 'brokerage')).toBe(2);
});

describe('through the public API', () => {
  test('orders and checkouts at a price that keeps moving are rounded each for itself', async () => {
    const at = await sandbox({ rateLimits: false });
    const sums = { gross: 0, retained: 0, halves: 0, accrued: 0 };
    for (let n = 0; n < 40; n += 1) {
      const { buy_now_price_cents } = await got<{ buy_now_price_cents: number }>(
        at,
        `/pricing?domain=${MOVING}`,
      );
      // The read itself has moved it.
      const price = Math.round(buy_now_price_cents * 1.01);
      const sale = orderBody({ ...magic('price-moves', price) });
      const order = await answered<Order & { commission_cents: number }>(
        await requestOrder(at, sale),
        201,
      );
      expect(order).toMatchObject({
        sale_price_cents: price,
        commission_cents: commissionOf(price, 'partner_collected'),
      });
      await at.control.post(`/orders/${order.public_id}/advance`, { to: 'TRANSFER_COMPLETED' });
      const sold = await checkoutSale(at, { domain: MOVING });
      expect(sold).toMatchObject({
        sale_price_cents: price,
        commission_cents: commissionOf(price, 'marketplace_collected'),
      });
      sums.gross += price;
      sums.retained += order.commission_cents;
      sums.accrued += sold.commission_cents;
      if ((price * 15) % 100 === 50 || (price * 10) % 100 === 50) sums.halves += 1;
    }
    expect(sums.halves, 'amounts that end in a half').toBeGreaterThan(0);
    // Sums of what was rounded, not a rounded sum.
    expect(sums.retained).not.toBe(commissionOf(sums.gross, 'partner_collected'));
    const statement = {
      order_count: 40,
      gross_sold_cents: sums.gross,
      commission_retained_cents: sums.retained,
      amount_owed_cents: sums.gross - sums.retained,
    };
    expect(await statements(at)).toMatchObject([statement]);
    expect((await settle(at)).statements).toMatchObject([statement]);
    const { totals } = await got<{ totals: object }>(at, '/transactions');
    expect(totals).toMatchObject({
      gmv_cents: 2 * sums.gross,
      commission_cents: sums.retained + sums.accrued,
    });
  });

  test('deals at any amount are rounded half up, to the cent', async () => {
    const at = await sandbox({ rateLimits: false });
    let made = 0;
    const amount = fc.oneof(
      fc.integer({ min: 1, max: 1_000 }),
      fc.integer({ min: 1, max: 50_000_000 }).map((n) => n * 20 + 10),
      fc.integer({ min: 2 ** 31 - 100, max: 2 ** 31 + 100 }),
      fc.integer({ min: 999_999_999_000, max: 1_000_000_000_000 }),
    );
    await fc.assert(
      fc.asyncProperty(amount, async (price) => {
        made += 1;
        const sale: Sale = await deal(at, `wanted${made}.example`, price);
        expect(sale.sale_price_cents).toBe(price);
        expect(sale.commission_cents).toBe(commissionOf(price, 'brokerage'));
      }),
      { numRuns: 40 },
    );
    const { totals } = await got<{ totals: { commission_cents: number } }>(at, '/transactions');
    expect(Number.isSafeInteger(totals.commission_cents)).toBe(true);
  });
});
