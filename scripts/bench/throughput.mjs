import { idle, orderRequests, registerWebhook } from './orders.mjs';
import { measureSeries } from './series.mjs';
import { startBare, startReceiver, startReference, startSandlot } from './servers.mjs';
import { PRICING, requestBytes, signedBytes } from './signed.mjs';

const INVENTORY = 100_000;

/**
 * Measures a bare Hono server, one with signatures that commits a row of SQLite per request, and two sandboxes on disk
 * with their request logs. The partner of one has a webhook at a fast receiver, so every order writes an event and a
 * delivery, and deliveries are sent meanwhile.
 */
export async function measureThroughput(root, rounds) {
  const [bare, reference, sandlot, sending, receiver] = await Promise.all([
    startBare(root, 22_100),
    startReference(root, 22_103),
    startSandlot(root, 22_101, ['--inventory', String(INVENTORY)]),
    startSandlot(root, 22_104, ['--inventory', String(INVENTORY)]),
    startReceiver(root, 22_102),
  ]);
  try {
    await registerWebhook(sending.port, receiver.url);
    const orders = await orderRequests(sandlot.port);
    const sendingOrders = await orderRequests(sending.port);
    const plain = PRICING.replace('held-order.test', await generatedDomain(sandlot.port));
    const series = {
      bareGet: { server: bare, requests: always(requestBytes('GET', '/hello', undefined, {})) },
      referenceGet: { server: reference, requests: signed(PRICING) },
      plainGet: { server: sandlot, requests: signed(plain) },
      magicGet: { server: sandlot, requests: signed(PRICING) },
      barePost: {
        server: bare,
        requests: always(requestBytes('POST', '/hello', '{"domain":"x.com"}', JSON_TYPE)),
      },
      referencePost: { server: reference, requests: () => referenceOrders() },
      order: { server: sandlot, requests: () => orders(12_000) },
      orderWithWebhook: { server: sending, requests: () => sendingOrders(12_000) },
    };
    // Deliveries of one series must not slow the next.
    return await measureSeries(series, { rounds, seconds: 2, settle: () => idle(sending.port) });
  } finally {
    await Promise.all([bare, reference, sandlot, sending, receiver].map((each) => each.stop()));
  }
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

function always(bytes) {
  return () => () => bytes;
}

/** Signed in advance: the cost of signing belongs to the client. */
function signed(target) {
  return () => {
    const ready = Array.from({ length: 60_000 }, () => signedBytes('GET', target));
    return () => ready.pop();
  };
}

function referenceOrders() {
  const body = '{"domain":"held-order.test","expected_price":199900,"currency":"USD"}';
  const ready = Array.from({ length: 40_000 }, () =>
    signedBytes('POST', '/api/partner/v1/orders', body, JSON_TYPE),
  );
  return () => ready.pop();
}

async function generatedDomain(port) {
  const answer = await fetch(`http://127.0.0.1:${port}/_sandbox/inventory?limit=100&tld=com`);
  const { listings } = await answer.json();
  return listings[0].domain;
}
