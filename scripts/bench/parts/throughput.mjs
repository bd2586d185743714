import { printRates } from '../print.mjs';
import { measureThroughput } from '../throughput.mjs';

export async function run(root, rounds) {
  const { bareGet, signedGet, barePost, signedPost } = await measureThroughput(
    root,
    // A round takes 8 s, and 16,000 domains of the inventory.
    Math.min(rounds, 5),
  );
  printRates('32 connections, request log on', 'bare Hono GET', bareGet, [
    ['signed GET /pricing', signedGet],
  ]);
  printRates('32 connections, webhooks going out', 'bare Hono POST', barePost, [
    ['signed POST /orders', signedPost],
  ]);
}
