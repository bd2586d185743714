import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { orderRequests } from './orders.mjs';
import { measureSeries } from './series.mjs';
import { startSandlot } from './servers.mjs';
import { PRICING, signedBytes } from './signed.mjs';

const READY = 30_000;

/** Measures a sandbox with and without observation for the go-live report. */
export async function measureGolive(root, rounds) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-bench-'));
  const config = path.join(dir, 'sandlot.config.json');
  fs.writeFileSync(config, '{ "golive": false }');
  const inventory = ['--inventory', String((rounds + 1) * 4_000)];
  const [on, off] = await Promise.all([
    startSandlot(root, 22_110, inventory),
    startSandlot(root, 22_111, [...inventory, '--config', config]),
  ]);
  try {
    const series = {};
    for (const [suffix, server] of [
      ['On', on],
      ['Off', off],
    ]) {
      const orders = await orderRequests(server.port);
      series[`get${suffix}`] = { server, requests: pricings };
      series[`post${suffix}`] = { server, requests: () => orders(4_000) };
    }
    return await measureSeries(series, { rounds, seconds: 1 });
  } finally {
    await Promise.all([on.stop(), off.stop()]);
    fs.rmSync(dir, { recursive: true });
  }
}

function pricings() {
  const ready = Array.from({ length: READY }, () => signedBytes('GET', PRICING));
  return () => ready.pop();
}
