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

/** A file of some thousand rows, which is read in several event-loop ticks. */
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

test('a kill while rows are read leaves none of them, and one after the import leaves all', async () => {
  const dataDir = stateFolder();
  const at = await opened(dataDir);
  const killed: string[] = [];
  at.worlds.require('default').watch(() => {
    const folder = stateFolder();
    for (const name of ['default.db', 'default.db-wal']) {
      fs.mkdirSync(path.join(folder, 'worlds'), { recursive: true });
      fs.copyFileSync(path.join(dataDir, 'worlds', name), path.join(folder, 'worlds', name));
    }
    killed.push(folder);
  });
  await load(at, file(2_200, 1_000));
  const counts: number[] = [];
  for (const folder of killed) {
    const next = await opened(folder);
    const found = query(
      next,
      "SELECT count(*) FROM trigrams_sandbox WHERE trigrams_sandbox MATCH 'zeb'",
    );
    counts.push(countOf(next));
    expect(found).toEqual([[counts.at(-1)]]);
    await next.close();
  }
  expect(counts.length).toBeGreaterThan(3);
  expect(counts.slice(0, -1).every((count) => count === 0)).toBe(true);
  expect(counts.at(-1)).toBe(2_200);
});

test('other requests are answered while a file is read, and see none of its rows', async () => {
  const at = await opened();
  const app = await at.app();
  const seen: Promise<number>[] = [];
  at.worlds.require('default').watch(() => {
    const health = async () => {
      expect((await app.request(`${CONTROL}/health`)).status).toBe(200);
      return countOf(at);
    };
    seen.push(health());
  });
  expect(await load(at, file(2_200, 1_000))).toMatchObject({ rows: 2_200, added: 2_200 });
  const counts = await Promise.all(seen);
  expect(counts.length).toBeGreaterThan(3);
  expect(new Set(counts)).toEqual(new Set([0, 2_200]));
});

test.each(['upsert', 'replace'])(
  'mode %s counts what it adds, updates and removes',
  async (mode) => {
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
  },
);

test('a domain that is added while the file is read makes an import in mode add change nothing', async () => {
  const at = await opened();
  const app = await at.app();
  const added: Promise<number>[] = [];
  at.worlds.require('default').watch(() => {
    const add = async () => {
      const body = JSON.stringify({ domain: 'zebra2199.com', price_cents: 7 });
      const headers = { 'Content-Type': 'application/json' };
      return (await app.request(`${CONTROL}/inventory`, { method: 'POST', headers, body })).status;
    };
    if (added.length === 0) added.push(add());
  });
  await expect(load(at, file(2_200, 1_000))).rejects.toMatchObject({
    message: expect.stringContaining(
      'line 2201: domain: zebra2199.com is already in the SANDBOX inventory',
    ),
  });
  expect(await Promise.all(added)).toEqual([201]);
  expect([countOf(at), countOf(at, 'price_cents = 7')]).toEqual([1, 1]);
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
  expect(query(at, 'SELECT name FROM sqlite_temp_master')).toEqual([]);
});
