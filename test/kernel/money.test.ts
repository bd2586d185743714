import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commissionCents, formatMoney } from '../../src/kernel/money.ts';

const cents = fc.nat(Number.MAX_SAFE_INTEGER);
const rate = fc.nat(10_000);

describe('commissionCents', () => {
  test('is the nearest whole cent, the upper one of two', () => {
    fc.assert(
      fc.property(cents, rate, (amount, basisPoints) => {
        // Twice the distance from the exact value, in ten-thousandths of a cent.
        const exact = BigInt(amount) * BigInt(basisPoints);
        const off = 2n * (BigInt(commissionCents(amount, basisPoints)) * 10_000n - exact);
        expect(off > -10_000n && off <= 10_000n).toBe(true);
      }),
    );
  });

  test.each([
    [149_900, 1500, 22_485],
    [149_900, 0, 0],
    [149_900, 10_000, 149_900],
    [9, 500, 0],
    [10, 500, 1],
    [29, 500, 1],
    [30, 500, 2],
    [3, 1500, 0],
    [4, 1500, 1],
    [Number.MAX_SAFE_INTEGER, 10_000, Number.MAX_SAFE_INTEGER],
    [Number.MAX_SAFE_INTEGER, 1500, 1_351_079_888_211_149],
  ])('of %d at %d is %d', (amount, basisPoints, commission) => {
    expect(commissionCents(amount, basisPoints)).toBe(commission);
  });
});

describe('formatMoney', () => {
  test('writes what Intl writes for US dollars', () => {
    const { format } = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (amount) => {
        expect(formatMoney(amount, 'USD')).toBe(format(amount / 100));
      }),
    );
  });

  test.each([
    [0, 'USD', '$0.00'],
    [5, 'USD', '$0.05'],
    [149_900, 'USD', '$1,499.00'],
    [-123_456_789, 'USD', '-$1,234,567.89'],
    [149_900, 'EUR', '1,499.00 EUR'],
    [-5, 'EUR', '-0.05 EUR'],
    [Number.MAX_SAFE_INTEGER, 'USD', '$90,071,992,547,409.91'],
  ])('writes %d %s as %s', (amount, currency, text) => {
    expect(formatMoney(amount, currency)).toBe(text);
  });
});
