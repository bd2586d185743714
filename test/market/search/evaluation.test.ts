import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_INVENTORY, DEFAULT_SEED } from '../../../src/market/defaults.ts';
import { seedInventory } from '../../../src/market/inventory/seed-inventory.ts';
import { searchListings } from '../../../src/market/search/search.ts';
import { closeStore, openMemoryStore } from '../../../src/store/open.ts';
import type { Tx } from '../../../src/store/transaction.ts';
import { evaluate } from './relevance.ts';

test('search finds a best listing for 95% of the queries that nothing was tuned on', () => {
  const store = openMemoryStore();
  onTestFinished(() => closeStore(store));
  seedInventory(store, DEFAULT_SEED, DEFAULT_INVENTORY);
  const tx = { db: store.db } as Tx;
  const { hit, ndcg, empty } = evaluate((q) =>
    searchListings(tx, 'SANDBOX', q).map(({ domain }) => domain),
  );
  expect(hit).toBeGreaterThanOrEqual(0.95);
  expect(ndcg).toBeGreaterThanOrEqual(0.8);
  expect(empty).toBe(1);
});
