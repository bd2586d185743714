import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';

const ROUNDS = 5;
const KEY = '/api/partner/v1/pricing?domain=held-order.test';

/**
 * Seeds a world of that many domains on disk and searches it, in a separate process: time and peak memory of seeding,
 * and the time of each query beside a signed GET /pricing, in ms. Each query counts by the median of five alternating
 * rounds.
 */
export function measureSearch(root, inventory) {
  const self = fileURLToPath(import.meta.url);
  const said = execFileSync(process.execPath, [self, root, String(inventory)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(said);
}

/** Measures prepared INSERTs of as many rows into a bare table with an index, in one transaction, in ms. */
function bareInserts(file, rows) {
  const db = new Database(file);
  db.exec('CREATE TABLE names (id INTEGER PRIMARY KEY, domain TEXT UNIQUE, said TEXT)');
  const insert = db.prepare('INSERT INTO names (domain, said) VALUES (?, ?)');
  const begun = performance.now();
  db.transaction(() => {
    for (let n = 0; n < rows; n += 1) insert.run(`name${(n * 7_919) % rows}x.com`, `Name no. ${n}`);
  })();
  const took = performance.now() - begun;
  db.close();
  fs.rmSync(file);
  return took;
}

/** Returns the queries of fixtures/relevance.json, and one to three words of the lexicon at fixed positions. */
function queriesOf(root) {
  const fixture = (name) => fs.readFileSync(path.join(root, 'fixtures', name), 'utf8');
  const queries = JSON.parse(fixture('relevance.json')).map(({ q }) => q);
  const words = fixture('lexicon/word-vectors.txt').trim().split('\n').slice(1);
  for (let n = 0; n < 400; n += 1) {
    const drawn = [0, 1, 2].slice(0, 1 + (n % 3)).map((place) => {
      return words[(n * 7_919 + place * 104_729) % words.length].split(' ')[0];
    });
    queries.push(drawn.join(' '));
  }
  return queries;
}

async function measure(root, inventory) {
  const { createSandbox } = await import(pathToFileURL(path.join(root, 'dist/index.mjs')).href);
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-bench-'));
  const begun = performance.now();
  const sandbox = await createSandbox({ dataDir, inventory, port: false, rateLimits: false });
  const seeding = performance.now() - begun;
  const memory = process.resourceUsage().maxRSS * 1024;
  const call = async (target) => {
    const start = performance.now();
    const answer = await sandbox.call({ method: 'GET', target });
    await answer.text();
    if (answer.status !== 200) throw new Error(`${target}: ${answer.status}`);
    return performance.now() - start;
  };
  const targets = queriesOf(root).map(
    (q) => `/api/partner/v1/domains/search?q=${encodeURIComponent(q)}`,
  );
  const samples = targets.map(() => []);
  const pricing = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [at, target] of targets.entries()) {
      const took = [await call(target), await call(KEY)];
      // The first round fills caches.
      if (round < 0) continue;
      samples[at].push(took[0]);
      pricing.push(took[1]);
    }
  }
  await sandbox.close();
  const bare = bareInserts(path.join(dataDir, 'bare.db'), inventory);
  fs.rmSync(dataDir, { recursive: true });
  const middle = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  const medians = samples.map(middle).toSorted((a, b) => a - b);
  const at = (share) => medians[Math.floor(medians.length * share)];
  return {
    ...{ seeding, bare, memory, pricing: middle(pricing) },
    ...{ p50: at(0.5), p99: at(0.99), worst: medians.at(-1) },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , root, inventory] = process.argv;
  process.stdout.write(JSON.stringify(await measure(root, Number(inventory))));
}
