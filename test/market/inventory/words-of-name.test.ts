import { expect, test } from 'vitest';
import { generateListings } from '../../../src/market/inventory/generate-listings.ts';
import { wordsOfName } from '../../../src/market/inventory/words-of-name.ts';

test.each([
  ['brewpilot', [], 'brew pilot'],
  ['cheap-flights24', [], 'cheap flights 24'],
  ['coffee', [], 'coffee'],
  ['qzxvwk', [], 'qzxvwk'],
  ['zyqornbrew', ['zyqorn'], 'zyqorn brew'],
  ['xn--mnchen-3ya', [], 'münchen'],
  ['42', [], '42'],
])('%s with keywords %j reads %s', (label, keywords, words) => {
  expect(wordsOfName(label, keywords)).toBe(words);
});

test('most names that are made from words are read as those words', () => {
  const made = [...generateListings('any', 2_000)].filter(({ words }) => words.includes(' '));
  const alike = made.filter(
    ({ domain, length, words }) => wordsOfName(domain.slice(0, length)) === words,
  );
  expect(alike.length / made.length).toBeGreaterThan(0.8);
});
