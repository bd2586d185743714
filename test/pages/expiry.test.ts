import { expect, test } from 'vitest';
import { expiryProblem } from '../../src/pages/checkout/payment.ts';

const NOW = Date.UTC(2026, 2, 31, 23, 59);

test.each(['03/26', '3/26', '0326', '03 / 26', '03/2026', '032026', '12-99', '08/2174'])(
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
});
