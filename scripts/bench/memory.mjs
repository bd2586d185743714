import { load } from './load.mjs';
import { startBare, startSandlot } from './servers.mjs';
import { PRICING, requestBytes, signedBytes } from './signed.mjs';

const REQUESTS = 20_000;
const MAX_ROUNDS = 5;

/** Measures the resident memory of both servers, after the start and after 20,000 requests. */
export async function* measureMemory(root, rounds) {
  const samples = { bare: [], started: [], bareLater: [], later: [] };
  for (let round = 0; round < Math.min(rounds, MAX_ROUNDS); round += 1) {
    const [bare, sandlot] = await Promise.all([
      startBare(root),
      startSandlot(root, { flags: ['--no-rate-limits'] }),
    ]);
    try {
      samples.bare.push(bare.megabytes());
      samples.started.push(sandlot.megabytes());
      await send(bare, () => requestBytes('GET', '/hello', undefined, {}));
      await send(sandlot, () => signedBytes('GET', PRICING));
      samples.bareLater.push(bare.megabytes());
      samples.later.push(sandlot.megabytes());
    } finally {
      await Promise.all([bare.stop(), sandlot.stop()]);
    }
  }
  yield {
    title: 'memory after the start',
    unit: 'MB',
    base: ['bare Hono', samples.bare],
    rows: [['5,000 domains', samples.started]],
  };
  yield {
    title: 'memory after 20,000 requests',
    unit: 'MB',
    base: ['bare Hono', samples.bareLater],
    rows: [['signed GET /pricing', samples.later]],
  };
}

async function send({ port }, request) {
  const requests = Array.from({ length: REQUESTS }, request);
  const next = () => requests.pop();
  const { ok } = await load(port, { connections: 32, seconds: 60, next });
  if (ok !== REQUESTS) throw new Error(`${ok} of ${REQUESTS} requests were answered 2xx`);
}
