// Figures as ratios against a baseline of the same run: machines differ, and shared ones change by the minute.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureColdStart } from './cold-start.mjs';
import { measureImport } from './inventory-import.mjs';
import { measureSearch } from './search.mjs';
import { measureSnapshots } from './snapshots.mjs';

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const ROUNDS = Number(process.env.ROUNDS ?? 9);

const { bare, fresh, warm } = await measureColdStart(root, ROUNDS);
print('cold start to the first 200', 'bare Hono', bare, [
  ['fresh state, 5,000 domains', fresh],
  ['existing state', warm],
]);

for (const inventory of [5_000, 100_000]) {
  const { samples, bytes } = await measureSnapshots(root, inventory, ROUNDS);
  const size = `${(bytes / 1_000_000).toFixed(1)} MB`;
  print(
    `a world of ${inventory.toLocaleString('en')} domains, ${size}, over HTTP`,
    'copying a file of that size',
    samples.copy,
    [
      ['reset', samples.reset],
      ['fork', samples.fork],
      ['snapshot save', samples.save],
      ['snapshot restore', samples.restore],
    ],
  );
}
const { bare: inserts, imported } = await measureImport(root, Math.min(ROUNDS, 3));
print('import of 100,000 rows', 'bare INSERTs', inserts, [['CSV over HTTP, searchable', imported]]);

for (const inventory of [5_000, 100_000, 1_000_000]) {
  const { seeding, bare: rows, memory, pricing, ...took } = measureSearch(root, inventory);
  const megabytes = (memory / 1_000_000).toFixed(0);
  console.log(`search among ${inventory.toLocaleString('en')} domains, in process, signed`);
  console.log(`  seeding, at most ${megabytes} MB of memory; bare INSERTs ${rows.toFixed(0)} ms`);
  console.log(line('  on disk, index included', seeding, rows));
  console.log(`  a query, of some 600; GET /pricing ${pricing.toFixed(2)} ms`);
  for (const [name, value] of Object.entries(took)) console.log(line(`  ${name}`, value, pricing));
}

function line(name, value, base) {
  return `  ${name.padEnd(32)} ${(value / base).toFixed(2)} x  (${value.toFixed(2)} ms)`;
}

function print(title, baselineName, baseline, rows) {
  const base = median(baseline);
  console.log(`${title} (median of ${baseline.length}; ${baselineName} ${base.toFixed(1)} ms)`);
  for (const [name, samples] of rows) {
    const value = median(samples);
    console.log(`  ${name.padEnd(32)} ${(value / base).toFixed(2)} x  (${value.toFixed(1)} ms)`);
  }
}

function median(samples) {
  return [...samples].sort((a, b) => a - b)[Math.floor(samples.length / 2)];
}
