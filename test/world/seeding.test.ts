import { expect, test } from 'vitest';
import { orderFor, ordersOf } from '../support/orders.ts';
import { sandbox, sandboxOnDisk } from '../support/sandbox.ts';

test('of worlds of one name that are created at once, one is', async () => {
  const at = await sandbox();
  const calls = ['a', 'b', 'c'].map((seed) => at.control.post('/worlds', { name: 'w', seed }));
  const results = await Promise.allSettled(calls);
  const codes = results.map((each) => each.status === 'rejected' && each.reason.code);
  expect(codes.sort()).toEqual(['conflict', 'conflict', false]);
});

test('a sandbox that closes during a reset has reset the world or not', async () => {
  const { dataDir, at } = await sandboxOnDisk();
  await orderFor(at, 0);
  const reset = at.reset().then(
    () => [0],
    () => [0, 1],
  );
  await new Promise(setImmediate);
  await at.close();
  const possible = await reset;
  const { length } = await ordersOf(await sandbox({ dataDir }));
  expect(possible).toContain(length);
});
