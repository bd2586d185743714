import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSandbox, type InProcessSandbox } from '../../src/index.ts';
import { systemRuntime } from '../../src/kernel/runtime.ts';
import { mint, type Order, orderFor } from '../support/orders.ts';
import { receiver, register } from '../support/receiver.ts';
import { INVENTORY, sandbox } from '../support/sandbox.ts';
import { stateFolder, worldFileIn } from '../support/state-folder.ts';

/** More than can be open at once. */
const MANY = 105;

function nameOf(n: number): string {
  return `w${String(n).padStart(4, '0')}`;
}

/** Worlds that have a log, which SQLite removes when the last connection is closed. */
function openIn(dataDir: string): number {
  return fs.readdirSync(path.join(dataDir, 'worlds')).filter((name) => name.endsWith('-wal'))
    .length;
}

async function createMany(at: InProcessSandbox): Promise<void> {
  for (let n = 0; n < MANY; n += 1) await at.control.post('/worlds', { name: nameOf(n) });
}

test('files of worlds that are not in use are closed, and those worlds go on as before', async () => {
  const dataDir = stateFolder();
  const at = await sandbox({ dataDir });
  await at.control.post('/worlds', { name: 'first' });
  const first = at.control.in('first');
  const key = await mint(at, { world: 'first' });
  const order = await orderFor(at, 0, key);
  await first.post('/clock/advance', { by: '1h' });
  const before = {
    clock: await first.get('/clock'),
    orders: await first.get('/orders'),
    events: await first.get('/events'),
  };
  await createMany(at);
  expect(openIn(dataDir)).toBeLessThanOrEqual(100);
  expect(fs.existsSync(`${worldFileIn(dataDir, 'first')}-wal`)).toBe(false);
  expect({
    clock: await first.get('/clock'),
    orders: await first.get('/orders'),
    events: await first.get('/events'),
  }).toEqual(before);
  const next = await orderFor(at, 1, key);
  expect(next.public_id > order.public_id).toBe(true);
});

test('a world that rests delivers what comes due', async () => {
  const dataDir = stateFolder();
  const hook = await receiver(500);
  const at = await sandbox({ dataDir });
  await at.control.post('/worlds', { name: 'first' });
  const key = await mint(at, { world: 'first' });
  await register(at, hook.url, { key });
  const order: Order = await orderFor(at, 0, key);
  await at.idle();
  await createMany(at);
  expect(fs.existsSync(`${worldFileIn(dataDir, 'first')}-wal`)).toBe(false);
  await at.control.in('first').post('/clock/advance', { by: '5s' });
  expect(hook.received).toHaveLength(2);
  const { deliveries } = await at.control
    .in('first')
    .get<{ deliveries: { attempts: unknown[] }[] }>('/deliveries');
  expect(deliveries.map(({ attempts }) => attempts.length)).toEqual([2]);
  expect(order.status).toBe('EXTERNALLY_PAID');
});

test('after a restart, what fell due in any of many worlds is delivered', async () => {
  const dataDir = stateFolder();
  const hook = await receiver(500);
  const before = await createSandbox({ dataDir, inventory: INVENTORY, port: false });
  onTestFinished(() => before.close());
  await before.control.post('/worlds', { name: 'first' });
  const key = await mint(before, { world: 'first' });
  await register(before, hook.url, { key });
  await orderFor(before, 0, key);
  await before.control.in('first').post('/idle');
  await createMany(before);
  await before.close();
  expect(hook.received).toHaveLength(1);
  const later = Date.now() + 60_000;
  const at = await sandbox({ dataDir, runtime: { ...systemRuntime, now: () => later } });
  await at.control.in('first').post('/idle');
  expect(hook.received).toHaveLength(2);
  expect(openIn(dataDir)).toBeLessThanOrEqual(100);
});
