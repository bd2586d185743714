import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expiryProblem } from '../../src/pages/checkout/payment.ts';

const NOW = Date.UTC(2026, 2, 31, 23, 59);

test.each(['03/26', '3/26', '0326', '03 / 26', '03/2026', '032026', '12-99', '01/70', '08/2174'])(
  '%s is good in March 2026',
  (text) => {
    expect(expiryProblem(text, NOW)).toBeUndefined();
  },
);

test.each([
  '02/26',
  '12/25',
  '03/1926',
  '01/99999',
  '00/30',
  '13/30',
  '3',
  '',
  '03/6',
  '٠٣/٢٧',
  '3 26',
])('%s is not', (text) => {
  expect(expiryProblem(text, NOW)).toMatch(/expir/);
});

test('a card is valid to the end of its month, in sandbox time', () => {
  expect(expiryProblem('03/26', Date.UTC(2026, 3, 1) - 1)).toBeUndefined();
  expect(expiryProblem('03/26', Date.UTC(2026, 3, 1))).toBe('This card has expired.');
  expect(expiryProblem('01/02', Date.UTC(2099, 11, 31))).toBeUndefined();
});

test('a year of two digits is the nearest within 50 years', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 49 }),
      fc.integer({ min: 1, max: 12 }),
      (ahead, month) => {
        const year = 2026 + ahead;
        const two = `${month}/${String(year % 100).padStart(2, '0')}`;
        expect(expiryProblem(two, NOW)).toBe(expiryProblem(`${month}/${year}`, NOW));
      },
    ),
  );
});
