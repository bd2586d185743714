import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';

const CONTROL = 'http://127.0.0.1/_sandbox';

interface Imported {
  rows: number;
  added: number;
  updated: number;
  removed: number;
}

/** A file of some thousand rows, which moves into the inventory in several transactions. */
function file(count: number, price: number): string {
  const rows = Array.from({ length: count }, (_, n) => `zebra${n}.com,${price}`);
  return `domain,price_cents\n${rows.join('\n')}\n`;
}

async function opened(dataDir?: string): Promise<Sandbox> {
  const sandbox = await openSandbox({ dataDir, inventory: 5 });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

async function load({ app }: Sandbox, body: string, mode = 'add'): Promise<Imported> {
  const url = `${CONTROL}/inventory/import?format=csv&mode=${mode}`;
  const response = await (await app()).request(url, { method: 'POST', body });
  const imported = (await response.json()) as Imported & { error?: object };
  if (imported.error) throw imported.error;
  return imported;
}

function query(at: Sandbox, sql: string): unknown[] {
  return at.worlds.require('default').store.client.prepare(sql).raw().all();
}

const ZEBRAS = "FROM listings WHERE domain LIKE 'zebra%'";
const countOf = (at: Sandbox, condition = 'TRUE') =>
  (query(at, `SELECT count(*) ${ZEBRAS} AND ${condition}`) as [[number]])[0][0];

/** Calls `look` after each commit that has moved some rows of an import, but not all. */
function whileApplied(at: Sandbox, look: () => void): void {
  at.worlds.require('default').watch(() => {
    const [[open, committed]] = query(
      at,
      'SELECT count(*), coalesce(max(committed), 0) FROM imports',
    ) as [[number, number]];
    if (open > 0 && committed > 0) look();
  });
}

test('a kill while rows are read leaves none of them, and one while they move leaves all', async () => {
  const dataDir = stateFolder();
  const at = await opened(dataDir);
  const copies: { folder: string; committed: boolean }[] = [];
  at.worlds.require('default').watch(() => {
    const [[open, committed]] = query(
      at,
      'SELECT count(*), coalesce(max(committed), 0) FROM imports',
    ) as [[number, number]];
    if (open === 0) return;
    const folder = stateFolder();
    for (const name of ['default.db', 'default.db-wal']) {
      fs.mkdirSync(path.join(folder, 'worlds'), { recursive: true });
      fs.copyFileSync(path.join(dataDir, 'worlds', name), path.join(folder, 'worlds', name));
    }
    copies.push({ folder, committed: committed > 0 });
  });
  await load(at, file(2_200, 1_000));
  expect(copies.filter(({ committed }) => committed).length).toBeGreaterThanOrEqual(4);
  expect(copies.some(({ committed }) => !committed)).toBe(true);
  for (const { folder, committed } of copies) {
    const next = await opened(folder);
    expect(countOf(next)).toBe(committed ? 2_200 : 0);
    expect(query(next, 'SELECT count(*) FROM import_rows')).toEqual([[0]]);
    const found = query(
      next,
      "SELECT count(*) FROM trigrams_sandbox WHERE trigrams_sandbox MATCH 'zeb'",
    );
    expect(found).toEqual([[committed ? 2_200 : 0]]);
    await next.close();
  }
});

test('other requests are answered while the rows of an import move', async () => {
  const at = await opened();
  const app = await at.app();
  const answered: number[] = [];
  const others: Promise<void>[] = [];
  whileApplied(at, () => {
    const health = async () => {
      expect((await app.request(`${CONTROL}/health`)).status).toBe(200);
      answered.push(countOf(at));
    };
    others.push(health());
  });
  expect(await load(at, file(2_200, 1_000))).toMatchObject({ rows: 2_200, added: 2_200 });
  await Promise.all(others);
  expect(answered.length).toBeGreaterThanOrEqual(4);
  expect(Math.min(...answered)).toBeLessThan(2_200);
});

test.each(['upsert', 'replace'])('mode %s counts as if all rows moved at once', async (mode) => {
  const at = await opened();
  await load(at, file(1_700, 1_000));
  const before = query(at, 'SELECT count(*) FROM listings') as [[number]];
  const counts = await load(at, file(1_200, 2_000), mode);
  expect(counts).toMatchObject(
    mode === 'upsert'
      ? { rows: 1_200, added: 0, updated: 1_200, removed: 0 }
      : { rows: 1_200, added: 1_200, updated: 0, removed: before[0][0] },
  );
  expect(countOf(at, 'price_cents = 2000')).toBe(1_200);
  expect(countOf(at)).toBe(mode === 'upsert' ? 1_700 : 1_200);
  const found = query(
    at,
    "SELECT count(*) FROM trigrams_sandbox WHERE trigrams_sandbox MATCH 'zeb'",
  );
  expect(found).toEqual([[mode === 'upsert' ? 1_700 : 1_200]]);
  expect(query(at, "SELECT sum(count) FROM listing_counts WHERE environment = 'SANDBOX'")).toEqual(
    query(at, "SELECT count(*) FROM listings WHERE environment = 'SANDBOX'"),
  );
});

test('a domain of an import that moves cannot be added, and keeps the price of the file', async () => {
  const at = await opened();
  const app = await at.app();
  const added: Promise<number>[] = [];
  whileApplied(at, () => {
    const add = async () => {
      const body = JSON.stringify({ domain: 'zebra2199.com', price_cents: 7 });
      const headers = { 'Content-Type': 'application/json' };
      return (await app.request(`${CONTROL}/inventory`, { method: 'POST', headers, body })).status;
    };
    if (added.length === 0) added.push(add());
  });
  await load(at, file(2_200, 1_000));
  expect(await Promise.all(added)).toEqual([409]);
  expect(countOf(at, 'price_cents = 1000')).toBe(2_200);
});

test('of two imports of the same domains, one imports all and the other nothing', async () => {
  const at = await opened();
  const results = await Promise.allSettled([
    load(at, file(1_200, 1_000)),
    load(at, file(1_200, 2_000)),
  ]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const cheap = countOf(at, 'price_cents = 1000');
  expect([cheap, countOf(at)]).toEqual([cheap === 0 ? 0 : 1_200, 1_200]);
  expect(query(at, 'SELECT count(*) FROM import_rows')).toEqual([[0]]);
});

test('an import after one that a full disk has interrupted completes that one first', async () => {
  const at = await opened();
  const world = at.worlds.require('default');
  const { client } = world.store;
  client.exec(
    `INSERT INTO imports VALUES (1, 'SANDBOX', 'add', TRUE, FALSE, 0);
     INSERT INTO import_rows VALUES (1, 1, 2, 'okapi.com', 'com', 5, NULL, NULL, NULL, 500, NULL, NULL, 'okapi', NULL)`,
  );
  expect(await load(at, file(1, 1_000))).toMatchObject({ added: 1 });
  expect(query(at, "SELECT price_cents FROM listings WHERE domain = 'okapi.com'")).toEqual([[500]]);
  expect(query(at, 'SELECT count(*) FROM imports')).toEqual([[0]]);
});
