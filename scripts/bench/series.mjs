import { load } from './load.mjs';

const CONNECTIONS = 32;

/**
 * Loads servers in alternating rounds, over 32 connections.
 * @param series by name: the server, and a function that returns the source of its requests for one round
 * @param settle is called after each load
 * @returns by name, an element per round: requests per second, CPU time of the server per request in microseconds
 *   (undefined if the system does not report it), and p99 in ms
 */
export async function measureSeries(series, { rounds, seconds, settle = async () => {} }) {
  const names = Object.keys(series);
  const found = Object.fromEntries(names.map((name) => [name, { rate: [], cpu: [], p99: [] }]));
  for (let round = -1; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const { server, requests } = series[name];
      const next = await requests();
      const before = server.cpuSeconds();
      const took = await load(server.port, { connections: CONNECTIONS, seconds, next });
      if (took.other > 0) throw new Error(`${name} was answered ${took.firstOther}`);
      // The first round warms up.
      if (round >= 0) {
        found[name].rate.push(took.ok / took.seconds);
        found[name].cpu.push(((server.cpuSeconds() - before) * 1e6) / took.ok);
        found[name].p99.push(took.p99);
      }
      await settle();
    }
  }
  return found;
}
