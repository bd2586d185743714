import { measureDeliveries } from '../deliveries.mjs';
import { printRates } from '../print.mjs';

export async function run(root, rounds) {
  const { ordersAlone, orders, deliveries } = await measureDeliveries(root, Math.min(rounds, 5));
  printRates('4,000 orders at once, one receiver', 'orders without webhooks', ordersAlone, [
    ['orders with webhooks', orders],
    ['webhooks, to the last of them', deliveries],
  ]);
}
