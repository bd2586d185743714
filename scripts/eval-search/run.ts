// Measures search quality with fixtures/relevance.json. `--each` prints the queries of the tuning half that are not
// perfect; the held-out half is for measuring only.

import { DEFAULT_INVENTORY, DEFAULT_SEED } from '../../src/market/defaults.ts';
import { seedInventory } from '../../src/market/inventory/seed-inventory.ts';
import { searchListings } from '../../src/market/search/search.ts';
import { openMemoryStore } from '../../src/store/open.ts';
import type { Tx } from '../../src/store/transaction.ts';
import { evaluate, judgeOne } from './evaluate.ts';
import { Judge } from './judge.ts';

const store = openMemoryStore();
seedInventory(store, DEFAULT_SEED, DEFAULT_INVENTORY);
// Search only reads, and needs only the database of a transaction.
const tx = { db: store.db } as Tx;
const judge = new Judge();
const percent = (share: number) => `${(100 * share).toFixed(1)}%`.padStart(7);

if (process.argv.includes('--each')) {
  for (const judged of judge.queries) {
    if (judged.half !== 'tuning') continue;
    const found = searchListings(tx, 'SANDBOX', judged.q).map(({ domain }) => domain);
    const { ndcg, grades } = judgeOne(judge, judged, found);
    if (judged.kind === 'nonsense' ? found.length === 0 : ndcg > 0.999) continue;
    const shown = found.map((domain, at) => `${domain} ${grades[at]}`).join(', ');
    console.log(`${percent(ndcg)}  ${judged.kind}: ${judged.q} → ${shown || 'nothing'}`);
  }
}
console.log('hit@5, nDCG@5, nonsense without results');
for (const half of ['tuning', 'held-out'] as const) {
  const count = judge.queries.filter((judged) => judged.half === half).length;
  const { hit, ndcg, empty } = evaluate(judge, half, (q) =>
    searchListings(tx, 'SANDBOX', q).map(({ domain }) => domain),
  );
  console.log(`${half}, ${count} queries:`, percent(hit), percent(ndcg), percent(empty));
}
