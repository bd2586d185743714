import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';

const ROWS = 100_000;

/**
 * Measures 100,000 rows in ms, in alternating rounds: as prepared INSERTs into a bare table with an index, in one
 * transaction, and as a CSV import over HTTP, with parsing, validation, staging and indexing.
 */
export async function measureImport(root, rounds) {
  const { createSandbox } = await import(pathToFileURL(path.join(root, 'dist/index.mjs')).href);
  const samples = { bare: [], imported: [] };
  for (let round = -1; round < rounds; round += 1) {
    const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-bench-'));
    const took = {
      bare: bareInserts(path.join(dataDir, 'bare.db')),
      imported: await importOver(await createSandbox({ dataDir })),
    };
    fs.rmSync(dataDir, { recursive: true });
    // The first round fills caches.
    if (round >= 0) for (const name of Object.keys(samples)) samples[name].push(took[name]);
  }
  return samples;
}

function bareInserts(file) {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.exec(
    'CREATE TABLE names (id INTEGER PRIMARY KEY, domain TEXT UNIQUE, price INTEGER, said TEXT)',
  );
  const insert = db.prepare('INSERT INTO names (domain, price, said) VALUES (?, ?, ?)');
  const begun = performance.now();
  db.transaction(() => {
    for (let n = 0; n < ROWS; n += 1) insert.run(domainOf(n), 1_000 + n, saidOf(n));
  })();
  const took = performance.now() - begun;
  db.close();
  return took;
}

async function importOver(sandbox) {
  const begun = performance.now();
  const url = `${sandbox.url}/_sandbox/inventory/import?environment=LIVE`;
  const headers = { 'Content-Type': 'text/csv' };
  const body = ReadableStream.from(csv());
  const answer = await fetch(url, { method: 'POST', headers, body, duplex: 'half' });
  const took = performance.now() - begun;
  if (answer.status !== 200) throw new Error(await answer.text());
  await sandbox.close();
  return took;
}

async function* csv() {
  let text = 'domain,price_cents,category,keywords,description\n';
  for (let n = 0; n < ROWS; n += 1) {
    text += `${domainOf(n)},${1_000 + n},Coffee & Tea,brew;pilot;coffee,"${saidOf(n)}"\n`;
    if (text.length < 60_000) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}

function domainOf(n) {
  return `brewpilot${n}x.com`;
}

function saidOf(n) {
  return `A short, memorable name for a coffee roaster, no. ${n}.`;
}
