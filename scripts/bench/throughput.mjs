import { load } from './load.mjs';
import { startBare, startSandlot } from './servers.mjs';
import { PRICING, requestBytes, signedBytes } from './signed.mjs';

const CONNECTIONS = 32;
const SECONDS = 2;
const INVENTORY = 100_000;

/**
 * Requests per second over 32 connections, in alternating rounds: a bare Hono server, and signed requests of a
 * sandbox on disk with its request log on, whose partner has a webhook registered, so that every order writes
 * its event and its delivery.
 */
export async function measureThroughput(root, rounds) {
  const [bare, sandlot] = await Promise.all([
    startBare(root, 42_100),
    startSandlot(root, 42_101, ['--inventory', String(INVENTORY)]),
  ]);
  try {
    await registerNobody(sandlot.port);
    const orders = await ordersFor(sandlot.port);
    const lanes = {
      bareGet: [bare.port, always(requestBytes('GET', '/hello', undefined, {}))],
      signedGet: [sandlot.port, signedPricings()],
      barePost: [
        bare.port,
        always(requestBytes('POST', '/hello', '{"domain":"x.com"}', JSON_TYPE)),
      ],
      signedPost: [sandlot.port, orders],
    };
    const samples = Object.fromEntries(Object.keys(lanes).map((name) => [name, []]));
    for (let round = -1; round < rounds; round += 1) {
      for (const [name, [port, requests]] of Object.entries(lanes)) {
        const next = await requests();
        const took = await load(port, { connections: CONNECTIONS, seconds: SECONDS, next });
        if (took.other > 0) throw new Error(`${name} was answered ${took.firstOther}`);
        // The first round warms up.
        if (round >= 0) samples[name].push(took.ok / took.seconds);
      }
    }
    return samples;
  } finally {
    await Promise.all([bare.stop(), sandlot.stop()]);
  }
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

function always(bytes) {
  return () => () => bytes;
}

/** Signed before the clock runs: what signing costs is the client's. */
function signedPricings() {
  return () => {
    const ready = Array.from({ length: 60_000 }, () => signedBytes('GET', PRICING));
    return () => ready.pop();
  };
}

/** Each sells another domain of the inventory at its price. */
async function ordersFor(port) {
  const url = `http://127.0.0.1:${port}/_sandbox/inventory/export?format=ndjson`;
  const lines = (await (await fetch(url)).text()).trim().split('\n');
  const listed = lines
    .map((line) => JSON.parse(line))
    .filter(({ domain }) => !domain.endsWith('.test'));
  return () => {
    const ready = listed.splice(0, 16_000).map(({ domain, price_cents: price }, n) => {
      const sale = { domain, expected_price: price, currency: 'USD', buyer: { email: 'a@b.co' } };
      const headers = { ...JSON_TYPE, 'Idempotency-Key': `${domain}-${n}` };
      return signedBytes('POST', '/api/partner/v1/orders', JSON.stringify(sale), headers);
    });
    return () => ready.pop();
  };
}

/** A registered url at which nobody answers: deliveries are written and wait for their time. */
async function registerNobody(port) {
  const base = `http://127.0.0.1:${port}`;
  await fetch(`${base}/_sandbox/clock/freeze`, { method: 'POST' });
  const body = JSON.stringify({ url: 'http://127.0.0.1:9/', secret: 'whsec_bench' });
  const { signedHeaders } = await import('./signed.mjs');
  const target = '/api/partner/webhooks';
  const headers = { ...JSON_TYPE, ...signedHeaders('PUT', target, body) };
  const answer = await fetch(base + target, { method: 'PUT', body, headers });
  if (!answer.ok) throw new Error(await answer.text());
}
