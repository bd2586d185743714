import fs from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createSandbox, type InProcessSandbox } from '../../src/index.ts';
import { DAY, HOUR } from '../../src/kernel/time.ts';
import { send } from '../support/calls.ts';
import { caseFor, checkoutSale, RESOLD, settle } from '../support/money.ts';
import { documented } from '../support/openapi/watch.ts';
import { allEvents, mint, type Order, orderFor, quoteFor } from '../support/orders.ts';
import { testRuntime } from '../support/runtime.ts';
import { sandbox, sandboxOnDisk, sandboxWithRuntime } from '../support/sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';

/** A sandbox on disk whose clock runs with that of the test. */
async function restartable() {
  const runtime = testRuntime(Date.UTC(2030, 0, 10));
  const dataDir = stateFolder();
  const open = async () =>
    documented(await createSandbox({ dataDir, runtime, inventory: 5, port: false }), runtime);
  const machine = {
    at: await open(),
    runtime,
    /** Stops and starts the sandbox; the clock of the machine is moved between. */
    async restart(byMs: number): Promise<void> {
      await machine.at.close();
      runtime.time += byMs;
      machine.at = await open();
    },
  };
  onTestFinished(() => machine.at.close());
  return machine;
}

async function now(control: InProcessSandbox['control']): Promise<number> {
  return Date.parse((await control.get<{ now: string }>('/clock')).now);
}

test('a clock of the machine that is set back during a restart turns no list around, and runs on', async () => {
  const machine = await restartable();
  const first = await orderFor(machine.at, RESOLD);
  await machine.restart(-2 * DAY);
  machine.runtime.time += 1_000;
  const second = await orderFor(machine.at, RESOLD);
  expect(Date.parse(second.created_at) - Date.parse(first.created_at)).toBe(1_000);
  const { orders } = await machine.at.control.get<{ orders: Order[] }>('/orders');
  expect(orders.map(({ public_id }) => public_id)).toEqual([second.public_id, first.public_id]);
  const times = (await allEvents(machine.at)).map(({ created_at }) => created_at);
  expect(times).toEqual(times.toSorted());
  expect(await machine.at.control.get('/clock')).toMatchObject({ frozen: false });
  const before = await now(machine.at.control);
  await machine.restart(60_000);
  expect((await now(machine.at.control)) - before).toBe(60_000);
});

test('a clock that was not set back, or is frozen, is as it was', async () => {
  const machine = await restartable();
  await orderFor(machine.at, RESOLD);
  await machine.restart(1_000);
  expect(await machine.at.control.get('/clock')).toMatchObject({ offset_ms: 0, frozen: false });
  await machine.at.control.post('/clock/freeze');
  const before = await now(machine.at.control);
  machine.runtime.time -= HOUR;
  expect(await now(machine.at.control)).toBe(before);
  await machine.restart(-DAY);
  expect(await now(machine.at.control)).toBe(before);
});

test.each<[what: string, (at: InProcessSandbox) => Promise<unknown>]>([
  ['order', (at) => orderFor(at, RESOLD)],
  ['quote', (at) => quoteFor(at, RESOLD.domain)],
  ['checkout sale', checkoutSale],
  ['settlement run', (at) => settle(at)],
  ['brokerage case', (at) => caseFor(at, 'unlisted.example')],
  ['link', (at) => send(at, '/links', { kind: 'generic' })],
  ['partner', (at) => mint(at, { partner: 'new' })],
])('after a kill or failed reset, the clock goes on from the newest %s', async (_, act) => {
  const runtime = testRuntime();
  const { dataDir, at } = await sandboxOnDisk({ runtime });
  await at.control.post('/clock/resume');
  runtime.time += HOUR;
  await act(at);
  const before = await now(at.control);
  const killed = stateFolder();
  fs.cpSync(dataDir, killed, { recursive: true });
  runtime.time -= DAY;
  const { control } = await sandbox({ dataDir: killed, runtime });
  const rename = vi.spyOn(fs, 'renameSync').mockImplementationOnce(() => expect.fail('disk full'));
  await expect(at.control.post('/reset')).rejects.toMatchObject({ status: 500 });
  rename.mockRestore();
  expect([await now(control), await now(at.control)]).toEqual([before, before]);
});

test('a reset goes back to real time', async () => {
  const machine = await restartable();
  await orderFor(machine.at, RESOLD);
  await machine.restart(-2 * DAY);
  await machine.at.control.post('/reset');
  expect(await now(machine.at.control)).toBe(machine.runtime.time);
});

/** Sets the clock of the machine back while the sandbox clock runs. @returns `before`, the sandbox time until then */
async function setBack() {
  const { at, runtime } = await sandboxWithRuntime();
  await at.control.post('/clock/resume');
  const before = await now(at.control);
  runtime.time -= HOUR;
  return { runtime, at, before };
}

test('the sandbox clock goes on from its last value when the clock of the machine is set back', async () => {
  const { runtime, at, before } = await setBack();
  expect(await now(at.control)).toBe(before);
  runtime.time += 1_000;
  expect(await now(at.control)).toBe(before + 1_000);
});

test('forks, snapshots and exports go on from the last value', async () => {
  const { at, before } = await setBack();
  const later = await sandboxWithRuntime();
  later.runtime.time -= 2 * HOUR;
  await at.control.post('/worlds', { name: 'fork', fork: 'default' });
  await at.control.post('/snapshots', { name: 's' });
  await at.control.post('/snapshots/s/restore');
  await later.at.control.upload(
    '/worlds/import',
    { name: 'copy' },
    await at.control.download('/worlds/fork/export'),
  );
  const worlds = [at.control, at.control.in('fork'), later.at.control.in('copy')];
  expect(await Promise.all(worlds.map(now))).toEqual([before, before, before]);
});

test('a rejected request does not take the sandbox clock back', async () => {
  const { at, before } = await setBack();
  const target = '/api/partner/v1/orders/ord_0000000none';
  expect((await at.call({ method: 'GET', target })).status).toBe(404);
  expect(await now(at.control)).toBe(before);
});
