import { expect, test } from 'vitest';
import { orderFor } from '../support/orders.ts';
import { sandboxOnDisk } from '../support/sandbox.ts';
import { digestOf } from '../support/state-folder.ts';

test('a signed GET writes nothing to the world, and an order does', async () => {
  const { dataDir, at } = await sandboxOnDisk();
  const before = digestOf(dataDir);
  for (const target of ['/orders', '/pricing?domain=held-order.test', '/orders/none']) {
    await at.call({ method: 'GET', target: `/api/partner/v1${target}` });
  }
  expect(digestOf(dataDir)).toBe(before);
  await orderFor(at, 0);
  expect(digestOf(dataDir)).not.toBe(before);
});
