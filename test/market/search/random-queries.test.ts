import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { seedInventory } from '../../../src/market/inventory/seed-inventory.ts';
import { searchListings } from '../../../src/market/search/search.ts';
import { closeStore, openMemoryStore } from '../../../src/store/open.ts';
import type { Tx } from '../../../src/store/transaction.ts';
import { anyText } from '../../support/any-text.ts';

const word = fc.constantFrom(
  ...['coffee', 'law', 'brewpilot', '.io', '500', 'NEAR', 'OR', 'AND'],
  ...['"', '(', ')', '*', 'name:', '^', '-', '\u0000', 'ß', 'İ', '日本', 'हिन्दी', '👩‍🚀', "'"],
);
const query = fc.oneof(
  anyText({ maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.array(word, { maxLength: 8 }).map((words) => words.join(' ')),
  fc.array(fc.oneof(word, fc.string({ maxLength: 8 })), { maxLength: 20 }).map((w) => w.join('')),
  fc.stringMatching(/^[a-z]{1,12}( [a-z.]{1,12}){0,3}$/),
);

test('300 queries of any kind find at most five, none twice, all for sale, and the same again', () => {
  const store = openMemoryStore();
  onTestFinished(() => closeStore(store));
  seedInventory(store, 'any query', 300);
  const tx = { db: store.db } as Tx;
  let some = 0;
  fc.assert(
    fc.property(query, (q) => {
      const domains = searchListings(tx, 'SANDBOX', q).map(({ domain, status }) => {
        expect(status).toBe('listed');
        return domain;
      });
      if (domains.length > 0) some += 1;
      expect(domains.length).toBeLessThanOrEqual(5);
      expect(new Set(domains).size).toBe(domains.length);
      expect(searchListings(tx, 'SANDBOX', q).map(({ domain }) => domain)).toEqual(domains);
    }),
    { numRuns: 300 },
  );
  // About 30 of 300 find a domain.
  expect(some).toBeGreaterThan(5);
});
