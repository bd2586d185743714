import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { searchListings } from '../../src/market/search/search.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { closeStore, openMemoryStore, serialiseStore } from '../../src/store/open.ts';
import type { Tx } from '../../src/store/transaction.ts';

/** Name, the words that were read in it, and whether it is sold, as worlds from before hold them. */
const OLD: [domain: string, words: string, status: 'listed' | 'sold'][] = [
  ['brewpilot.com', 'brew pilot', 'listed'],
  ['cheap-flights24.io', 'cheap flights 24', 'listed'],
  ['a--b.com', 'a b', 'listed'],
  ['velora.co.uk', 'velora', 'listed'],
  ['xn--caf-dma.com', 'café', 'listed'],
  ['brewharbor.com', 'brew harbor', 'sold'],
];

test('a world from before keeps the words of its names, and finds what is for sale', () => {
  const here = MIGRATIONS.findIndex((sql) => sql.includes('search_sandbox'));
  const db = new Database(':memory:');
  for (const sql of MIGRATIONS.slice(0, here)) db.exec(sql);
  db.pragma(`user_version = ${here}`);
  OLD.forEach(([domain, words, status], at) => {
    const label = domain.slice(0, domain.indexOf('.'));
    db.prepare(
      `INSERT INTO listings VALUES (?, 'SANDBOX', ?, ?, ?, 'Coffee & Tea', '["mug"]', '', 40000, 30000, 'USD', ?)`,
    ).run(at + 1, domain, domain.slice(label.length + 1), label.length, status);
    db.prepare(
      `INSERT INTO listing_words (rowid, name, keywords, category) VALUES (?, ?, 'mug', 'Coffee & Tea')`,
    ).run(at + 1, `${words} ${label}`);
  });
  const old = serialiseStore({ client: db } as Parameters<typeof serialiseStore>[0]);
  db.close();

  const store = openMemoryStore(old);
  onTestFinished(() => closeStore(store));
  const words = store.client.prepare('SELECT words FROM listings ORDER BY id').pluck().all();
  // The old index had taken the accents off.
  expect(words).toEqual(OLD.map(([, each]) => each.replace('é', 'e')));
  const found = (q: string) =>
    searchListings({ db: store.db } as Tx, 'SANDBOX', q).map(({ domain }) => domain);
  expect(found('brew')[0]).toBe('brewpilot.com');
  expect(found('brewharbor')).not.toContain('brewharbor.com');
  expect(found('elora')).toEqual(['velora.co.uk']);
  expect(found('mug .io under 500')).toEqual(['cheap-flights24.io']);
});
