// Prints figures as ratios to a baseline of the same run, because machines differ. `npm run bench` runs every part,
// `npm run bench -- start memory` the named ones; ROUNDS sets the number of rounds.
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureColdStart } from './cold-start.mjs';
import { measureMemory } from './memory.mjs';
import { measureSnapshots } from './snapshots.mjs';
import { measureThroughput } from './throughput.mjs';

/** Each takes the root folder and the number of rounds, and yields tables. */
const PARTS = {
  start: measureColdStart,
  worlds: measureSnapshots,
  throughput: measureThroughput,
  memory: measureMemory,
};

const DIGITS = { ms: 2, '/s': 0, µs: 0, MB: 0 };

/** Prints a title with the baseline, and a line per row with its ratio to it; each is the median of its samples. */
function print({ title, unit, base, rows }) {
  const [name, samples] = base;
  const baseline = median(samples);
  const format = (value) => `${value.toFixed(DIGITS[unit])} ${unit}`;
  console.log(`${title} (median of ${samples.length}; ${name} ${format(baseline)})`);
  for (const [what, values] of rows) {
    const value = median(values);
    console.log(`  ${what.padEnd(35)} ${(value / baseline).toFixed(2)} x  (${format(value)})`);
  }
}

function median(samples) {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)];
}

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const rounds = Number(process.env.ROUNDS ?? 9);
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  console.error(
    `there is no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}`,
  );
  process.exit(2);
}
// Before the parts: their own load says nothing.
const [load] = os.loadavg();
if (load > 0.5) console.log(`other programs use this machine (load ${load.toFixed(1)})`);
for (const name of wanted.length > 0 ? wanted : Object.keys(PARTS)) {
  for await (const table of PARTS[name](root, rounds)) print(table);
}
