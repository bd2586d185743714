import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { load } from './load.mjs';
import { orderRequests } from './orders.mjs';
import { startSandlot } from './servers.mjs';
import { PRICING, signedBytes } from './signed.mjs';

const CONNECTIONS = 32;
const SECONDS = 1;
const READY = 30_000;

/**
 * Measures requests per second, and per second of CPU time, of a sandbox with and without observation for the go-live
 * report, in alternating rounds. CPU time varies less on a shared machine.
 */
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
    const servers = [
      ['On', on, await orderRequests(on.port)],
      ['Off', off, await orderRequests(off.port)],
    ];
    const samples = { getOn: [], getOff: [], postOn: [], postOff: [] };
    const perCpu = { getOn: [], getOff: [], postOn: [], postOff: [] };
    for (let round = -1; round < rounds; round += 1) {
      // The order alternates between rounds.
      for (const [suffix, server, orders] of round % 2 === 0 ? servers : servers.toReversed()) {
        const ready = Array.from({ length: READY }, () => signedBytes('GET', PRICING));
        const series = [
          [`get${suffix}`, () => ready.pop()],
          [`post${suffix}`, orders(4_000)],
        ];
        for (const [each, next] of series) {
          const before = server.cpuSeconds();
          const took = await load(server.port, {
            connections: CONNECTIONS,
            seconds: SECONDS,
            next,
          });
          if (took.other > 0) throw new Error(`${each} was answered ${took.firstOther}`);
          // The first round warms up.
          if (round < 0) continue;
          samples[each].push(took.ok / took.seconds);
          if (before !== undefined) perCpu[each].push(took.ok / (server.cpuSeconds() - before));
        }
      }
    }
    return { samples, perCpu };
  } finally {
    await Promise.all([on.stop(), off.stop()]);
    fs.rmSync(dir, { recursive: true });
  }
}
