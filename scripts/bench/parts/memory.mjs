import { measureMemory } from '../memory.mjs';
import { median } from '../print.mjs';

export async function run(root, rounds) {
  const samples = await measureMemory(root, Math.min(rounds, 5));
  const [bare, started, bareLater, later] = ['bare', 'started', 'bareLater', 'later'].map((name) =>
    median(samples[name]),
  );
  const line = (name, value, base) =>
    `  ${name.padEnd(32)} ${(value / base).toFixed(2)} x  (${value.toFixed(0)} MB)`;
  console.log(`memory (median of ${samples.bare.length}; bare Hono ${bare.toFixed(0)} MB)`);
  console.log(line('started, 5,000 domains', started, bare));
  console.log(`  after 20,000 requests; bare Hono ${bareLater.toFixed(0)} MB`);
  console.log(line('signed GET /pricing', later, bareLater));
}
