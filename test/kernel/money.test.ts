import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatMoney } from '../../src/kernel/money.ts';

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
