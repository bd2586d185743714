import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { SEED_IN_THREAD, WORKER } from '../../src/market/inventory/seed-database.ts';
import { type Order, orderFor } from '../support/orders.ts';
import { answered } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';
import { ROOT } from '../support/sandlot-process.ts';
import { stateFolder } from '../support/state-folder.ts';

/** Lets a thread seed every inventory, however small. */
const { above } = SEED_IN_THREAD;
beforeAll(() => {
  SEED_IN_THREAD.above = 0;
  WORKER.file = path.join(ROOT, 'test/support/seed-worker.mjs');
});
afterAll(() => {
  SEED_IN_THREAD.above = above;
  delete WORKER.file;
});

const OPTIONS = { rateLimits: false } as const;

type At = Pick<InProcessSandbox, 'control'>;

async function countOrders(at: At): Promise<number> {
  return (await at.control.get<{ orders: Order[] }>('/orders')).orders.length;
}

/** Sends requests until `act` has ended. @returns how many were answered meanwhile */
async function requestsDuring(at: InProcessSandbox, act: Promise<unknown>): Promise<number> {
  const target = '/api/partner/v1/pricing?domain=held-order.test';
  let [ended, count] = [false, 0];
  const end = act.finally(() => {
    ended = true;
  });
  while (!ended) {
    await answered(await at.call({ method: 'GET', target }), 200);
    count += 1;
    await new Promise(setImmediate);
  }
  await end;
  return count;
}

test.each([
  ['in memory', () => undefined],
  ['on disk', () => stateFolder()],
])('requests are answered while a thread seeds a world %s', async (_where, dataDir) => {
  const at = await sandbox({ ...OPTIONS, dataDir: dataDir() });
  const fresh = at.control.post('/worlds', { name: 'fresh', seed: `s${Math.random()}` });
  expect(await requestsDuring(at, fresh)).toBeGreaterThan(0);
  const { inventory } = await at.control.in('fresh').get<{ inventory: object }>('/status');
  expect(await at.control.get('/status')).toMatchObject({ inventory });
});

test('of worlds of one name that are created at once, one is', async () => {
  const at = await sandbox(OPTIONS);
  const calls = ['a', 'b', 'c'].map((seed) => at.control.post('/worlds', { name: 'w', seed }));
  const results = await Promise.allSettled(calls);
  const codes = results.map((each) => each.status === 'rejected' && each.reason.code);
  expect(codes.sort()).toEqual(['conflict', 'conflict', false]);
});

test('a sandbox that closes during a reset has reset the world or not', async () => {
  const dataDir = stateFolder();
  const at = await sandbox({ ...OPTIONS, dataDir });
  await orderFor(at, 0);
  const reset = at.reset().then(
    () => [0],
    () => [0, 1],
  );
  await new Promise(setImmediate);
  await at.close();
  const possible = await reset;
  const again = await sandbox({ ...OPTIONS, dataDir });
  expect(possible).toContain(await countOrders(again));
});
