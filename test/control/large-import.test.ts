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
