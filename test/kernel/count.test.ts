import { expect, test } from 'vitest';
import { countOf } from '../../src/kernel/count.ts';

test.each([
  [1, 'delivery', '1 delivery'],
  [0, 'delivery', '0 deliveries'],
  [2, 'day', '2 days'],
  [2_000, 'address', '2,000 addresses'],
  [1_234_567, 'event', '1,234,567 events'],
])('%i and %s become %s', (count, noun, text) => {
  expect(countOf(count, noun)).toBe(text);
});
