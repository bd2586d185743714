import { load } from './load.mjs';
import { idle, orderRequests, registerWebhook } from './orders.mjs';
import { startReceiver, startSandlot } from './servers.mjs';

const ORDERS = 4_000;
const CONNECTIONS = 32;

/**
 * Measures orders of a partner without a webhook and of one with a fast receiver, in alternating rounds, and how fast
 * the webhooks arrive, from the first order to the last webhook.
 * @returns rates per second
 */
export async function measureDeliveries(root, rounds) {
  const samples = { ordersAlone: [], orders: [], deliveries: [] };
  for (let round = -1; round < rounds; round += 1) {
    const alone = await sell(root, undefined);
    const told = await sell(root, 22_302);
    // The first round warms up the machine.
    if (round < 0) continue;
    samples.ordersAlone.push(alone.orders);
    samples.orders.push(told.orders);
    samples.deliveries.push(told.deliveries);
  }
  return samples;
}

async function sell(root, receiverPort) {
  const sandlot = await startSandlot(root, 22_301, ['--inventory', String(2 * ORDERS)]);
  const receiver = receiverPort && (await startReceiver(root, receiverPort));
  try {
    if (receiver) await registerWebhook(sandlot.port, receiver.url);
    const requests = await orderRequests(sandlot.port);
    const begun = performance.now();
    const next = requests(ORDERS);
    const { ok, other, firstOther, seconds } = await load(sandlot.port, {
      connections: CONNECTIONS,
      seconds: 60,
      next,
    });
    if (other > 0) throw new Error(`an order was answered ${firstOther}`);
    if (!receiver) return { orders: ok / seconds };
    await idle(sandlot.port);
    const took = (performance.now() - begun) / 1_000;
    const received = Number(await (await fetch(receiver.url)).text());
    if (received !== ok) throw new Error(`${received} webhooks of ${ok} orders arrived`);
    return { orders: ok / seconds, deliveries: received / took };
  } finally {
    await Promise.all([sandlot.stop(), receiver?.stop()]);
  }
}
