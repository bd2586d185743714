import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { WORKER } from '../../src/market/inventory/run-database-job.ts';
import { BACKGROUND_LIMITS } from '../../src/world/background.ts';
import { type Order, orderFor } from '../support/orders.ts';
import { answered } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';
import { ROOT } from '../support/sandlot-process.ts';
import { stateFolder } from '../support/state-folder.ts';

/** Lets background jobs seed and copy every database, however small. */
const limits = { ...BACKGROUND_LIMITS };
beforeAll(() => {
  Object.assign(BACKGROUND_LIMITS, { bytes: 0, inventory: 0 });
  WORKER.file = path.join(ROOT, 'test/support/database-worker.mjs');
});
afterAll(() => {
  Object.assign(BACKGROUND_LIMITS, limits);
  delete WORKER.file;
});

const OPTIONS = { rateLimits: false } as const;

/** Bytes of a page of a database. */
const PAGE = 4096;

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

function temporaryFiles(dataDir: string): string[] {
  const names = fs.readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /\.(?:new|next)/.test(name));
}

test('requests are answered while a large world is saved, forked, restored, reset and created', async () => {
  const dataDir = stateFolder();
  const at = await sandbox({ ...OPTIONS, dataDir });
  await orderFor(at, 0);
  const { control } = at;
  expect(await requestsDuring(at, control.post('/snapshots', { name: 's' }))).toBeGreaterThan(0);
  await orderFor(at, 1);
  const fork = control.post('/worlds', { name: 'fork', fork: 'default' });
  expect(await requestsDuring(at, fork)).toBeGreaterThan(0);
  expect(await countOrders({ control: control.in('fork') })).toBe(2);
  await control.post('/worlds', { name: 'saved', fork: 's' });
  expect(await countOrders({ control: control.in('saved') })).toBe(1);
  expect(await requestsDuring(at, control.post('/snapshots/s/restore'))).toBeGreaterThan(0);
  expect(await countOrders(at)).toBe(1);
  await orderFor(at, 2);
  expect(await requestsDuring(at, control.post('/reset'))).toBeGreaterThan(0);
  expect(await countOrders(at)).toBe(0);
  const fresh = control.post('/worlds', { name: 'fresh', seed: 'another' });
  expect(await requestsDuring(at, fresh)).toBeGreaterThan(0);
  const { inventory } = await control.in('fresh').get<{ inventory: object }>('/status');
  expect(await control.get('/status')).toMatchObject({ inventory });
  expect(temporaryFiles(dataDir)).toEqual([]);
  await at.close();
  const again = await sandbox({ ...OPTIONS, dataDir });
  expect(await countOrders(again)).toBe(0);
  expect(await countOrders({ control: again.control.in('fork') })).toBe(2);
});

test('requests are answered while a thread verifies the file of a large world, and a damaged one is rejected', async () => {
  const dataDir = stateFolder();
  const at = await sandbox({ ...OPTIONS, dataDir });
  const { control } = at;
  await orderFor(at, 0);
  await control.post('/worlds', { name: 'w1', fork: 'default' });
  const stream = await control.download('/worlds/w1/export');
  const file = new Uint8Array(await new Response(stream).arrayBuffer());
  const importFile = (bytes: Uint8Array<ArrayBuffer>) =>
    control.upload('/worlds/import', { name: 'copy' }, new Blob([bytes]).stream());
  const pragma = vi.spyOn(Database.prototype, 'pragma');
  onTestFinished(() => pragma.mockRestore());
  const damaged = file.slice().fill(0xff, PAGE * 20, PAGE * 21);
  await expect(importFile(damaged)).rejects.toMatchObject({
    code: 'validation_error',
    message: expect.stringMatching(/^file: damaged/),
  });
  expect(await requestsDuring(at, importFile(file))).toBeGreaterThan(0);
  expect(pragma.mock.calls.join()).not.toContain('integrity_check');
  expect(await countOrders({ control: control.in('copy') })).toBe(1);
  expect(temporaryFiles(dataDir)).toEqual([]);
});

test('requests are answered while a large world in memory is seeded', async () => {
  const at = await sandbox(OPTIONS);
  const fresh = at.control.post('/worlds', { name: 'fresh', seed: 'another' });
  expect(await requestsDuring(at, fresh)).toBeGreaterThan(0);
  const { inventory } = await at.control.in('fresh').get<{ inventory: object }>('/status');
  expect(await at.control.get('/status')).toMatchObject({ inventory });
});

test('acts on large worlds run one after the other, and those on a deleted world change nothing', async () => {
  const dataDir = stateFolder();
  const at = await sandbox({ ...OPTIONS, dataDir });
  const { control } = at;
  await orderFor(at, 0);
  await control.post('/snapshots', { name: 's' });
  await control.post('/worlds', { name: 'doomed', fork: 'default' });
  const doomed = control.in('doomed');
  const acts = await Promise.allSettled([
    control.post('/reset'),
    control.post('/worlds', { name: 'twice', fork: 'default' }),
    control.post('/worlds', { name: 'twice', fork: 's' }),
    doomed.post('/reset'),
    doomed.post('/snapshots', { name: 'gone' }),
    control.post('/snapshots', { name: 'after' }),
    control.post('/snapshots/s/restore'),
    control.delete('/worlds/doomed'),
  ]);
  expect(acts.map((act) => (act.status === 'rejected' ? act.reason.status : 'done'))).toEqual([
    ...['done', 'done', 409],
    ...[404, 404],
    ...['done', 'done', 'done'],
  ]);
  expect(await countOrders(at)).toBe(1);
  expect(await countOrders({ control: control.in('twice') })).toBe(0);
  await control.post('/snapshots/after/restore');
  expect(await countOrders(at)).toBe(0);
  expect(fs.readdirSync(path.join(dataDir, 'worlds')).join()).not.toContain('doomed');
  expect(temporaryFiles(dataDir)).toEqual([]);
});

test('a damaged snapshot of a large world is not restored', async () => {
  const dataDir = stateFolder();
  const at = await sandbox({ ...OPTIONS, dataDir });
  await at.control.post('/snapshots', { name: 's' });
  await orderFor(at, 0);
  const file = path.join(dataDir, 'snapshots/default/s.db');
  const handle = fs.openSync(file, 'r+');
  fs.writeSync(
    handle,
    Buffer.alloc(PAGE, 0xff),
    0,
    PAGE,
    PAGE * Math.floor(fs.statSync(file).size / PAGE / 2),
  );
  fs.closeSync(handle);
  for (const act of [
    () => at.control.post('/snapshots/s/restore'),
    () => at.control.post('/worlds', { name: 'fork', fork: 's' }),
  ]) {
    await expect(act()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/^snapshot: .* is damaged .* Delete the snapshot/),
    });
  }
  expect(await countOrders(at)).toBe(1);
  expect(temporaryFiles(dataDir)).toEqual([]);
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
  expect(temporaryFiles(dataDir)).toEqual([]);
});
