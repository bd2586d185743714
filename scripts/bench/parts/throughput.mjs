import { median, printRates } from '../print.mjs';
import { measureThroughput } from '../throughput.mjs';

export async function run(root, rounds) {
  const { samples, latencies } = await measureThroughput(
    root,
    // A round takes 8 s, and 16,000 domains of the inventory.
    Math.min(rounds, 5),
  );
  const { bareGet, referenceGet, signedGet, barePost, signedPost } = samples;
  printRates('32 connections, request log on', 'bare Hono GET', bareGet, [
    ['signed GET, bare Hono and SQLite', referenceGet],
    ['signed GET /pricing', signedGet],
  ]);
  printRates('32 connections, webhooks going out', 'bare Hono POST', barePost, [
    ['signed POST /orders', signedPost],
  ]);
  for (const name of ['referenceGet', 'signedGet', 'signedPost']) {
    console.log(`  p99 of ${name.padEnd(25)} ${median(latencies[name]).toFixed(1)} ms`);
  }
}
