import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { emptyFolder } from './servers.mjs';
import { PRICING } from './signed.mjs';

const ROUNDS = 5;

/**
 * Seeds a world on disk and searches it, in a separate process: seeding beside bare INSERTs, and queries beside a signed
 * GET /pricing. Each query counts by the median of five alternating rounds.
 */
export async function* measureSearch(root) {
  const self = fileURLToPath(import.meta.url);
  for (const inventory of [5_000, 100_000, 1_000_000]) {
    const output = execFileSync(process.execPath, [self, root, String(inventory)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { seeding, bare, memory, pricing, ...queries } = JSON.parse(output);
    const domains = `${inventory.toLocaleString('en')} domains`;
    const megabytes = (memory / 1e6).toFixed(0);
    yield {
      title: `seeding ${domains}, at most ${megabytes} MB of memory`,
      unit: 'ms',
      base: ['bare INSERTs', [bare]],
      rows: [['on disk, index included', [seeding]]],
    };
    yield {
      title: `a query among ${domains}, in process, signed, of some 550`,
      unit: 'ms',
      base: ['GET /pricing', [pricing]],
      rows: Object.entries(queries).map(([name, value]) => [name, [value]]),
    };
  }
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
  const { path: dataDir, remove } = emptyFolder();
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
      const took = [await call(target), await call(PRICING)];
      // The first round fills caches.
      if (round < 0) continue;
      samples[at].push(took[0]);
      pricing.push(took[1]);
    }
  }
  await sandbox.close();
  const bare = bareInserts(path.join(dataDir, 'bare.db'), inventory);
  remove();
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
