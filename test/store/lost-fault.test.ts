import { expect, onTestFinished, test } from 'vitest';
import { addFault, clearFaults } from '../../src/faults/faults.ts';
import { matchFault } from '../../src/faults/match-fault.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import type { Tx } from '../../src/store/transaction.ts';

const REQUEST = {
  endpoint: { method: 'GET', path: '/api/partner/v1/orders' },
  params: {},
  domains: [],
  keyId: 'k',
};
const FAULT = { match: {}, effect: { code: 'conflict' } } as const;

/** A world, and a way to have a turn's commit fail. */
async function fragile() {
  const shop = await openSandbox({ inventory: 5, frozenAt: Date.UTC(2026, 2, 2, 9) });
  onTestFinished(() => shop.close());
  const world = shop.worlds.require('default');
  const doom = () => {
    world.store.client.pragma('defer_foreign_keys = ON');
    world.store.client.exec(
      "INSERT INTO order_timeline (order_id, status, at) VALUES ('none', 'SETTLED', 0)",
    );
  };
  const triggered = () =>
    world.transactionWithoutSavepoint((tx) => matchFault(tx, REQUEST) !== undefined);
  return { world, doom, triggered };
}

test('a fault whose commit was lost is not triggered, even if a request read it before', async () => {
  const { world, doom, triggered } = await fragile();
  expect(await triggered()).toBe(false);
  const lost = world.transaction((tx) => {
    addFault(tx, FAULT);
    doom();
  });
  const between = triggered();
  await expect(lost).rejects.toThrow();
  await expect(between).rejects.toThrow();
  expect(await triggered()).toBe(false);
});

test('a fault whose deletion was lost stays active', async () => {
  const { world, doom, triggered } = await fragile();
  await world.transaction((tx) => addFault(tx, FAULT));
  expect(await triggered()).toBe(true);
  const lost = world.transaction((tx) => {
    clearFaults(tx);
    doom();
  });
  const between = triggered();
  await expect(lost).rejects.toThrow();
  await expect(between).rejects.toThrow();
  expect(await triggered()).toBe(true);
});

test('a fault that was rolled back is not triggered', async () => {
  const { world, triggered } = await fragile();
  const undone = world.transaction((tx: Tx) => {
    addFault(tx, FAULT);
    expect(matchFault(tx, REQUEST)).toBeDefined();
    throw new Error('changed my mind');
  });
  const same = triggered();
  await expect(undone).rejects.toThrow('changed my mind');
  expect(await same).toBe(false);
  expect(await triggered()).toBe(false);
});

test('a fault is active for the next request of the same commit', async () => {
  const { world, triggered } = await fragile();
  const before = triggered();
  const added = world.transaction((tx) => addFault(tx, FAULT));
  const after = triggered();
  await added;
  expect([await before, await after, await triggered()]).toEqual([false, true, true]);
});
