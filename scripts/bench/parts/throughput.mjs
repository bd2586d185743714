import { median, printCosts, printRates } from '../print.mjs';
import { measureThroughput } from '../throughput.mjs';

export async function run(root, rounds) {
  // A round takes 16 s, and 12,000 domains of each inventory.
  const found = await measureThroughput(root, Math.min(rounds, 5));
  const of = (measure, ...rows) => rows.map(([what, name]) => [what, found[name][measure]]);
  const gets = [
    ['signed GET, plain domain', 'plainGet'],
    ['signed GET, magic domain', 'magicGet'],
  ];
  const posts = [
    ['signed POST /orders', 'order'],
    ['signed POST /orders, with webhooks', 'orderWithWebhook'],
  ];
  const reference = 'Hono, signature, a row';
  printRates('32 connections, GET', 'bare Hono', found.bareGet.rate, [
    ...of('rate', [reference, 'referenceGet'], ...gets),
  ]);
  printRates('32 connections, POST', 'bare Hono', found.barePost.rate, [
    ...of('rate', [reference, 'referencePost'], ...posts),
  ]);
  printCosts('CPU per GET', reference, found.referenceGet.cpu, of('cpu', ...gets));
  printCosts('CPU per POST', reference, found.referencePost.cpu, of('cpu', ...posts));
  for (const [what, name] of [...gets, ...posts]) {
    console.log(`  p99 of ${what.padEnd(35)} ${median(found[name].p99).toFixed(1)} ms`);
  }
}
