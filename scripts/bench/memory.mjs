import { load } from './load.mjs';
import { startBare, startSandlot } from './servers.mjs';
import { PRICING, requestBytes, signedBytes } from './signed.mjs';

const REQUESTS = 20_000;

/** Measures the resident memory of both servers, in MB, after the start and after 20,000 requests. */
export async function measureMemory(root, rounds) {
  const samples = { bare: [], started: [], bareLater: [], later: [] };
  for (let round = 0; round < rounds; round += 1) {
    const [bare, sandlot] = await Promise.all([
      startBare(root, 22_200),
      startSandlot(root, 22_201),
    ]);
    try {
      samples.bare.push(bare.megabytes());
      samples.started.push(sandlot.megabytes());
      const hello = requestBytes('GET', '/hello', undefined, {});
      await send(bare.port, Array(REQUESTS).fill(hello));
      await send(
        sandlot.port,
        Array.from({ length: REQUESTS }, () => signedBytes('GET', PRICING)),
      );
      samples.bareLater.push(bare.megabytes());
      samples.later.push(sandlot.megabytes());
    } finally {
      await Promise.all([bare.stop(), sandlot.stop()]);
    }
  }
  return samples;
}

async function send(port, requests) {
  const next = () => requests.pop();
  const { ok } = await load(port, { connections: 32, seconds: 60, next });
  if (ok !== REQUESTS) throw new Error(`${ok} of ${REQUESTS} requests were answered 2xx`);
}
