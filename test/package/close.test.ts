import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { mock } from 'node:test';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createSandbox } from '../../src/index.ts';
import { manualTimers } from '../support/manual-timers.ts';
import { magic, orderFor } from '../support/orders.ts';
import { receiver } from '../support/receiver.ts';
import { testRuntime } from '../support/runtime.ts';
import { ROOT } from '../support/sandlot-process.ts';

test('after close, no timer waits, a call rejects, and closing again does nothing', async () => {
  const runtime = manualTimers();
  const at = await createSandbox({ port: false, inventory: 5, runtime });
  const failing = await receiver(500);
  await at.control.put('/webhooks', { url: failing.url, secret: 'secret' });
  await orderFor(at, magic('held-order', 250_000));
  await at.idle();
  const stream = await at.fetch('/_sandbox/requests/stream');
  // The scheduler and the stream set their timers in a later tick.
  await vi.waitFor(() => expect(runtime.waiting()).not.toEqual([]));
  await at.close();
  expect(runtime.waiting()).toEqual([]);
  expect(await stream.text()).toContain('retry');
  await expect(at.fetch('/_sandbox/clock')).rejects.toThrow('the sandbox is closed');
  await at.close();
});

test('close waits for requests in progress, and for what they load', async () => {
  const at = await createSandbox({ port: false, inventory: 5 });
  const statuses: number[] = [];
  for (const page of ['/_sandbox/dashboard/orders', '/_sandbox/golive', '/_sandbox/openapi.json']) {
    void at.fetch(page).then(({ status }) => statuses.push(status));
  }
  await at.close();
  expect(statuses).toEqual([200, 200, 200]);
});

test('a call that ends after the sandbox has closed has its response', async () => {
  const at = await createSandbox({ port: false, inventory: 5, runtime: testRuntime() });
  const { url } = await receiver(() => void at.close());
  const webhook = { type: 'order.settled', url, secret: 'secret' };
  expect(await at.control.post('/webhooks/fire', webhook)).toMatchObject({ ok: false });
});

/** Prints what keeps the process alive after a sandbox with open connections and unfinished work is closed. */
const LEFT_AFTER_CLOSE = `
const { createSandbox } = require(process.argv[1]);
// They open pipes when they are first read.
void [process.stdout, process.stderr];
(async () => {
  const hung = require('node:http').createServer(() => {});
  await new Promise((resolve) => hung.listen(0, '127.0.0.1', resolve));
  const before = process.getActiveResourcesInfo().sort();
  const sandbox = await createSandbox({ inventory: 20 });
  const url = 'http://127.0.0.1:' + hung.address().port;
  await sandbox.control.put('/webhooks', { url, secret: 'secret' });
  void sandbox.control.post('/webhooks/fire', { type: 'order.settled' }).catch(() => {});
  await new Promise((resolve) => hung.once('request', resolve));
  const stream = await sandbox.fetch('/_sandbox/requests/stream');
  const closing = sandbox.close();
  hung.closeAllConnections();
  await closing;
  await stream.text();
  await new Promise((resolve) => setTimeout(resolve));
  const after = process.getActiveResourcesInfo().sort();
  console.log(JSON.stringify({ before, after }));
  hung.close();
})();
`;

test('after close, nothing of the built package keeps the process alive', () => {
  const args = ['-e', LEFT_AFTER_CLOSE, path.join(ROOT, 'dist/index.cjs')];
  const options = { encoding: 'utf8', timeout: 60_000 } as const;
  const { stdout, stderr, status } = spawnSync(process.execPath, args, options);
  expect([stderr, status]).toEqual(['', 0]);
  const { before, after } = JSON.parse(stdout);
  expect(after.filter((resource: string) => resource !== 'Timeout')).toEqual(before);
});

test('the fake timers of node:test stop no request, delivery or close, and set no clock', async () => {
  const at = await createSandbox({ inventory: 5 });
  const receiving = await receiver();
  await at.control.put('/webhooks', { url: receiving.url, secret: 'secret' });
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'setImmediate', 'Date'] });
  onTestFinished(() => mock.timers.reset());
  await orderFor(at, magic('auto-complete', 199_900));
  await at.control.post('/clock/advance', { by: '1m' });
  await at.idle();
  expect(receiving.received.length).toBeGreaterThan(1);
  expect(await at.control.get('/clock')).toMatchObject({ offset_ms: expect.closeTo(60_000, -4) });
  await at.close();
});
