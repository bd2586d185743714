// Figures as ratios against a baseline of the same run: machines differ, and shared ones change by the minute.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureColdStart } from './cold-start.mjs';

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const ROUNDS = Number(process.env.ROUNDS ?? 9);

const { bare, fresh, warm } = await measureColdStart(root, ROUNDS);
print('cold start to the first 200', 'bare Hono', bare, [
  ['fresh state, 5,000 domains', fresh],
  ['existing state', warm],
]);

function print(title, baselineName, baseline, rows) {
  const base = median(baseline);
  console.log(`${title} (median of ${baseline.length}; ${baselineName} ${base.toFixed(0)} ms)`);
  for (const [name, samples] of rows) {
    const value = median(samples);
    console.log(`  ${name.padEnd(32)} ${(value / base).toFixed(2)} x  (${value.toFixed(0)} ms)`);
  }
}

function median(samples) {
  return [...samples].sort((a, b) => a - b)[Math.floor(samples.length / 2)];
}
