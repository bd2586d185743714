import { expect, onTestFinished, test } from 'vitest';
import { evaluate, METHODS } from '../../../scripts/eval-search/evaluate.ts';
import { Judge } from '../../../scripts/eval-search/judge.ts';
import { DEFAULT_INVENTORY, DEFAULT_SEED } from '../../../src/market/defaults.ts';
import { seedInventory } from '../../../src/market/inventory/seed-inventory.ts';
import { searchListings } from '../../../src/market/search/search.ts';
import { closeStore, openMemoryStore } from '../../../src/store/open.ts';
import type { Tx } from '../../../src/store/transaction.ts';

test('words and meaning together beat either alone on queries that nothing was tuned on', () => {
  const store = openMemoryStore();
  onTestFinished(() => closeStore(store));
  seedInventory(store, DEFAULT_SEED, DEFAULT_INVENTORY);
  const tx = { db: store.db } as Tx;
  const judge = new Judge();
  expect(judge.queries.length).toBeGreaterThanOrEqual(150);
  const figures = Object.fromEntries(
    Object.entries(METHODS).map(([name, methods]) => [
      name,
      evaluate(judge, 'held-out', (q) =>
        searchListings(tx, 'SANDBOX', q, methods).map(({ domain }) => domain),
      ),
    ]),
  );
  const { hybrid, ...alone } = figures;
  for (const [name, { hit, ndcg }] of Object.entries(alone)) {
    expect(hybrid?.hit, name).toBeGreaterThan(hit);
    expect(hybrid?.ndcg, name).toBeGreaterThan(ndcg);
  }
  expect(hybrid?.empty).toBeGreaterThanOrEqual(0.9);
});
