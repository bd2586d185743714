import { expect, onTestFinished, test } from 'vitest';
import { createSandbox, type InProcessSandbox } from '../../src/index.ts';
import { send } from '../support/calls.ts';
import { linkFor } from '../support/checkout.ts';
import { checkoutSale, completedOrder, RESOLD, type Sale } from '../support/money.ts';
import { documented } from '../support/openapi/watch.ts';
import { allEvents, type Order, orderFor, quoteFor } from '../support/orders.ts';
import { receiver, register } from '../support/receiver.ts';
import { click } from '../support/referral.ts';
import { type TestRuntime, testRuntime } from '../support/runtime.ts';
import { stateFolder } from '../support/state-folder.ts';

const DAY = 86_400_000;

interface Restartable {
  at: InProcessSandbox;
  runtime: TestRuntime;
  /** Stops and starts the sandbox; the clock of the machine is moved between. */
  restart(byMs: number): Promise<void>;
}

/** A sandbox on disk whose clock runs with that of the test. */
async function restartable(): Promise<Restartable> {
  const runtime = testRuntime(Date.UTC(2030, 0, 10));
  const dataDir = stateFolder();
  const open = async () =>
    documented(await createSandbox({ dataDir, runtime, inventory: 5, port: false }), runtime);
  const it: Restartable = {
    at: await open(),
    runtime,
    async restart(byMs) {
      await it.at.close();
      runtime.time += byMs;
      it.at = await open();
    },
  };
  onTestFinished(() => it.at.close());
  return it;
}

async function now({ control }: InProcessSandbox): Promise<number> {
  return Date.parse((await control.get<{ now: string }>('/clock')).now);
}

test('a clock of the machine that is set back during a restart turns no list around', async () => {
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
});

test('the clock runs on from there, and a later restart changes nothing', async () => {
  const machine = await restartable();
  await orderFor(machine.at, RESOLD);
  const before = await now(machine.at);
  await machine.restart(-2 * DAY);
  expect(await machine.at.control.get('/clock')).toMatchObject({
    offset_ms: 2 * DAY,
    frozen: false,
  });
  await machine.restart(60_000);
  expect((await now(machine.at)) - before).toBe(60_000);
});

test('a clock that was not set back, or is frozen, is as it was', async () => {
  const machine = await restartable();
  await orderFor(machine.at, RESOLD);
  await machine.restart(1_000);
  expect(await machine.at.control.get('/clock')).toMatchObject({ offset_ms: 0, frozen: false });
  await machine.at.control.post('/clock/freeze');
  const before = await now(machine.at);
  await machine.restart(-DAY);
  expect(await now(machine.at)).toBe(before);
});

test('a reset goes back to real time', async () => {
  const machine = await restartable();
  await orderFor(machine.at, RESOLD);
  await machine.restart(-2 * DAY);
  await machine.at.control.post('/reset');
  expect(await now(machine.at)).toBe(machine.runtime.time);
});

let order: Order;
let sale: Sale;

test.each<[what: string, act: (at: InProcessSandbox) => Promise<unknown>]>([
  ['a quote', (at) => quoteFor(at, RESOLD.domain)],
  ['a refund', (at) => send(at, '/refunds', { public_id: order.public_id })],
  ['a settlement run', (at) => at.control.post('/settlements/run')],
  ['a delivered sale', (at) => at.control.post(`/transactions/${sale.transaction_id}/deliver`)],
  ['a payout run', (at) => at.control.post('/payouts/run')],
  ['a click', async (at) => click(at, await linkFor(at, { kind: 'generic' }))],
])('the clock continues from the time of %s', async (_what, act) => {
  const machine = await restartable();
  const { at, runtime } = machine;
  order = await orderFor(at, RESOLD);
  await completedOrder(at);
  sale = await checkoutSale(at);
  const due = await checkoutSale(at);
  await at.control.post(`/transactions/${due.transaction_id}/deliver`);
  runtime.time += 60_000;
  await act(at);
  const before = await now(at);
  await machine.restart(-2 * DAY);
  expect(await now(machine.at)).toBe(before);
});

test('the clock continues from the time of a webhook attempt', async () => {
  const machine = await restartable();
  const hook = await receiver(500);
  await register(machine.at, hook.url);
  await orderFor(machine.at, RESOLD);
  await machine.at.idle();
  machine.runtime.time += 60_000;
  await machine.at.idle();
  expect(hook.received).toHaveLength(2);
  const before = await now(machine.at);
  await machine.restart(-2 * DAY);
  expect(await now(machine.at)).toBe(before);
});
