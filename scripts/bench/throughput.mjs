import { load } from './load.mjs';
import { idle, orderRequests, registerWebhook } from './orders.mjs';
import { startBare, startReceiver, startReference, startSandlot } from './servers.mjs';
import { PRICING, requestBytes, signedBytes } from './signed.mjs';

const CONNECTIONS = 32;
const SECONDS = 2;
const INVENTORY = 100_000;

/**
 * Measures requests per second and p99 over 32 connections, in alternating rounds: a bare Hono server, one with
 * signatures and SQLite, and a sandbox on disk with its request log. Its partner has a webhook at a fast receiver, so
 * every order writes an event and a delivery, and deliveries are sent meanwhile.
 */
export async function measureThroughput(root, rounds) {
  const [bare, reference, sandlot, receiver] = await Promise.all([
    startBare(root, 22_100),
    startReference(root, 22_103),
    startSandlot(root, 22_101, ['--inventory', String(INVENTORY)]),
    startReceiver(root, 22_102),
  ]);
  try {
    const orders = await orderRequests(sandlot.port);
    await registerWebhook(sandlot.port, receiver.url);
    const series = {
      bareGet: [bare.port, always(requestBytes('GET', '/hello', undefined, {}))],
      referenceGet: [reference.port, signedPricings()],
      signedGet: [sandlot.port, signedPricings()],
      barePost: [
        bare.port,
        always(requestBytes('POST', '/hello', '{"domain":"x.com"}', JSON_TYPE)),
      ],
      signedPost: [sandlot.port, () => orders(16_000)],
    };
    const samples = Object.fromEntries(Object.keys(series).map((name) => [name, []]));
    const latencies = Object.fromEntries(Object.keys(series).map((name) => [name, []]));
    for (let round = -1; round < rounds; round += 1) {
      for (const [name, [port, requests]] of Object.entries(series)) {
        const next = await requests();
        const took = await load(port, { connections: CONNECTIONS, seconds: SECONDS, next });
        if (took.other > 0) throw new Error(`${name} was answered ${took.firstOther}`);
        // The first round warms up.
        if (round >= 0) {
          samples[name].push(took.ok / took.seconds);
          latencies[name].push(took.p99);
        }
        // Deliveries of one series must not slow the next.
        await idle(sandlot.port);
      }
    }
    return { samples, latencies };
  } finally {
    await Promise.all([bare.stop(), reference.stop(), sandlot.stop(), receiver.stop()]);
  }
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

function always(bytes) {
  return () => () => bytes;
}

/** Signed in advance: the cost of signing belongs to the client. */
function signedPricings() {
  return () => {
    const ready = Array.from({ length: 60_000 }, () => signedBytes('GET', PRICING));
    return () => ready.pop();
  };
}
