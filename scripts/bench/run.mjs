// Prints figures as ratios to a baseline of the same run, because machines differ. `npm run bench` runs every part,
// `npm run bench -- start search` the named ones; ROUNDS sets the number of rounds.
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const PARTS = ['start', 'worlds', 'search', 'throughput', 'memory'];

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const rounds = Number(process.env.ROUNDS ?? 9);
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !PARTS.includes(name));
if (unknown.length > 0) {
  console.error(`there is no part ${unknown.join(', ')}; there are ${PARTS.join(', ')}`);
  process.exit(2);
}
// Before the parts: their own load says nothing.
const [load] = os.loadavg();
if (load > 0.5) console.log(`other programs use this machine (load ${load.toFixed(1)})`);
for (const name of wanted.length > 0 ? wanted : PARTS) {
  const { run } = await import(`./parts/${name}.mjs`);
  await run(root, rounds);
}
