import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { orderFor } from '../support/orders.ts';
import { sandbox } from '../support/sandbox.ts';
import { stateFolder, worldFileIn } from '../support/state-folder.ts';

test('a signed GET writes nothing to the world, and an order does', async () => {
  const dataDir = stateFolder();
  const at = await sandbox({ dataDir });
  const reader = new Database(worldFileIn(dataDir), { readonly: true });
  onTestFinished(() => void reader.close());
  // Changes with every commit of another connection.
  const version = () => reader.pragma('data_version', { simple: true });
  const before = version();
  for (const target of ['/orders', '/pricing?domain=held-order.test', '/orders/none']) {
    await at.call({ method: 'GET', target: `/api/partner/v1${target}` });
  }
  expect(version()).toBe(before);
  await orderFor(at, 0);
  expect(version()).not.toBe(before);
});
