import { expect, onTestFinished, test } from 'vitest';
import { addFault, clearFaults } from '../../src/faults/keep-faults.ts';
import { meetCall } from '../../src/faults/meet-call.ts';
import { openSandbox } from '../../src/sandbox.ts';
import type { Tx } from '../../src/store/transaction.ts';

const CALL = {
  endpoint: { method: 'GET', path: '/api/partner/v1/orders' },
  params: {},
  domains: [],
  keyId: 'k',
};
const RULE = { match: {}, effect: { code: 'conflict' } } as const;

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
  const struck = () => world.enter((tx) => meetCall(tx, CALL) !== undefined);
  return { world, doom, struck };
}

test('a rule whose commit was lost strikes nobody, though it was met before that', async () => {
  const { world, doom, struck } = await fragile();
  expect(await struck()).toBe(false);
  const lost = world.transact((tx) => {
    addFault(tx, RULE);
    doom();
  });
  const between = struck();
  await expect(lost).rejects.toThrow();
  await expect(between).rejects.toThrow();
  expect(await struck()).toBe(false);
});

test('a rule whose deletion was lost goes on', async () => {
  const { world, doom, struck } = await fragile();
  await world.transact((tx) => addFault(tx, RULE));
  expect(await struck()).toBe(true);
  const lost = world.transact((tx) => {
    clearFaults(tx);
    doom();
  });
  const between = struck();
  await expect(lost).rejects.toThrow();
  await expect(between).rejects.toThrow();
  expect(await struck()).toBe(true);
});

test('a rule that was undone with its transaction strikes nobody', async () => {
  const { world, struck } = await fragile();
  const undone = world.transact((tx: Tx) => {
    addFault(tx, RULE);
    expect(meetCall(tx, CALL)).toBeDefined();
    throw new Error('changed my mind');
  });
  const same = struck();
  await expect(undone).rejects.toThrow('changed my mind');
  expect(await same).toBe(false);
  expect(await struck()).toBe(false);
});

test('a rule that comes while others of its turn have been met strikes from then on', async () => {
  const { world, struck } = await fragile();
  const before = struck();
  const added = world.transact((tx) => addFault(tx, RULE));
  const after = struck();
  await added;
  expect([await before, await after, await struck()]).toEqual([false, true, true]);
});
