import { describe, expect, onTestFinished, test } from 'vitest';
import { recordEvent } from '../../src/events/events.ts';
import type { InProcessSandbox } from '../../src/index.ts';
import { systemRuntime } from '../../src/kernel/runtime.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import { registerWebhook } from '../../src/webhooks/registrations.ts';
import { addFault } from '../support/faults.ts';
import {
  allEvents,
  magic,
  mintLive,
  type Order,
  orderBody,
  orderFor,
  requestOrder,
} from '../support/orders.ts';
import { deliveriesOf, HELD, receiver, withReceiver } from '../support/receiver.ts';
import { rejection } from '../support/responses.ts';
import { sandbox, sandboxOnDisk } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';
import { stateFolder } from '../support/state-folder.ts';

const save = (at: InProcessSandbox, name: string) => at.control.post('/snapshots', { name });
const restore = (at: InProcessSandbox, name: string) =>
  at.control.post(`/snapshots/${name}/restore`);

const BURST = 30;

/** What a world holds of orders: domains, each with how many events and deliveries there are of it. */
async function holdings(at: Pick<InProcessSandbox, 'control'>): Promise<Map<string, string>> {
  const { orders } = await at.control.get<{ orders: Order[] }>('/orders', { limit: 100 });
  const found = new Map<string, string>();
  for (const { domain, public_id: subject_id } of orders) {
    const events = await allEvents(at, subject_id);
    const [event] = events;
    const deliveries = await deliveriesOf(at, { event_id: event?.id ?? '' });
    found.set(domain, `${events.length} event, ${deliveries.length} delivery`);
  }
  return found;
}

/** Sends a burst of orders with `act` in the middle of it; returns the domains that were acknowledged. */
async function inABurst(at: InProcessSandbox, act: () => Promise<unknown>): Promise<Set<string>> {
  const acknowledged = new Set<string>();
  const order = async (n: number) => {
    const sold = await seededListing(n);
    // Some begin turns later than others, so that the act finds every stage of a request under way.
    for (let turn = n % 5; turn > 0; turn -= 1) await new Promise(setImmediate);
    const response = await requestOrder(at, orderBody(sold));
    expect([201, 409]).toContain(response.status);
    if (response.status === 201) acknowledged.add(sold.domain);
  };
  const all = Array.from({ length: BURST }, (_, n) => order(n));
  const half = BURST / 2;
  await Promise.all([
    ...all.slice(0, half),
    new Promise(setImmediate).then(() => new Promise(setImmediate)).then(act),
    ...all.slice(half),
  ]);
  return acknowledged;
}

const WHOLE = '1 event, 1 delivery';

test.each<[string, (at: InProcessSandbox) => Promise<unknown>]>([
  ['restore', (at) => restore(at, 'empty')],
  ['reset', (at) => at.reset()],
  ['reset and restore', (at) => Promise.all([at.reset(), restore(at, 'empty')])],
])('a %s in a burst of orders leaves of each all or nothing', async (_act, act) => {
  const { at } = await withReceiver(500, { dataDir: stateFolder(), rateLimits: false });
  await save(at, 'empty');
  let left: string[] = [];
  const acknowledged = await inABurst(at, async () => {
    await act(at);
    left = [...(await holdings(at)).keys()];
  });
  expect(acknowledged.size).toBe(BURST);
  const found = await holdings(at);
  for (const domain of left) expect(found.has(domain), domain).toBe(true);
  expect(found.size, 'some came after').toBeGreaterThan(0);
  expect(found.size, 'some came before').toBeLessThan(BURST);
  for (const [domain, parts] of found) {
    expect(acknowledged).toContain(domain);
    // A reset forgets the webhook's address too.
    expect(['1 event, 0 delivery', WHOLE]).toContain(parts);
  }
  // What is gone is gone wholly: it can be sold again.
  for (let n = 0; n < BURST; n += 1) {
    const sold = await seededListing(n);
    if (!found.has(sold.domain)) await orderFor(at, sold);
  }
  expect(new Set((await holdings(at)).keys())).toEqual(acknowledged);
});

test.each<[string, (at: InProcessSandbox) => Promise<unknown>]>([
  ['a restore', (at) => restore(at, 's')],
  ['its key was revoked', (at) => at.control.delete('/credentials/dmk_sandbox_local')],
  [
    'its key ID was minted again for LIVE',
    async (at) => {
      await at.control.delete('/credentials/dmk_sandbox_local');
      await mintLive(at, { partner: 'local', key_id: 'dmk_sandbox_local' });
    },
  ],
])('a delayed request is rejected after %s, and orders nothing', async (_cause, act) => {
  const elapsed = Promise.withResolvers<void>();
  const at = await sandbox({ runtime: { ...systemRuntime, sleep: () => elapsed.promise } });
  await save(at, 's');
  const held = requestOrder(at, orderBody(magic('slow', 129_900)));
  await new Promise(setImmediate);
  await act(at);
  elapsed.resolve();
  const message = expect.stringMatching(/reset or restored, or .+ revoked, while the response was/);
  expect(await rejection(await held)).toMatchObject({ status: 500, message });
  expect(await at.control.get('/orders')).toMatchObject({ orders: [] });
});

test('a world that is deleted while a restore is being read is not brought back', async () => {
  const { at } = await sandboxOnDisk();
  await at.control.post('/worlds', { name: 'w1' });
  const there = at.control.in('w1');
  await there.post('/snapshots', { name: 's' });
  const calls = await Promise.allSettled([
    at.control.delete('/worlds/w1'),
    there.post('/snapshots/s/restore'),
    there.post('/snapshots', { name: 't' }),
    there.post('/reset'),
  ]);
  for (const call of calls) {
    if (call.status === 'rejected') expect(call.reason).toMatchObject({ status: 404 });
  }
  await expect(there.get('/snapshots')).rejects.toMatchObject({ status: 404 });
  await at.control.post('/worlds', { name: 'w1' });
  expect(await there.get('/snapshots')).toMatchObject({ snapshots: [] });
});

test('an event that a restore removed before it was sent is not delivered', async () => {
  const shop = await openSandbox({ inventory: 5, frozenAt: Date.UTC(2026, 2, 2, 9) });
  onTestFinished(() => shop.close());
  const world = shop.worlds.require('default');
  const hook = await receiver();
  const owner = { partnerId: 'ptr_local', environment: 'SANDBOX' } as const;
  world.transaction((tx) => registerWebhook(tx, owner, { url: hook.url, secret: 's' }));
  shop.worlds.snapshots.save(world, 's');
  // Right after the commit, when the dispatcher has read what is due and has not sent it yet.
  const unwatch = world.watch(() => {
    unwatch();
    shop.worlds.restore(world, 's');
  });
  const event = { type: 'order.recorded', ...owner, subjectId: 'ord_1', data: {} } as const;
  world.transaction((tx) => recordEvent(tx, event));
  await shop.schedulers.of(world).idle();
  expect(hook.received).toEqual([]);
});

describe('a restore', () => {
  test('does not get the outcome of a webhook in flight, and ends its duplicate', async () => {
    const { at, hook } = await withReceiver(HELD);
    await save(at, 'empty');
    await addFault(at, { webhook: { duplicate: true }, times: 1 });
    await orderFor(at, 0);
    await hook.came(1);
    await save(at, 'sending');
    hook.response = 200;
    await restore(at, 'sending');
    hook.release();
    await at.idle();
    expect(await deliveriesOf(at)).toMatchObject([{ status: 'delivered', attempts: [{}] }]);
    expect(hook.received).toHaveLength(2);
    await restore(at, 'empty');
    await at.idle();
    expect(await deliveriesOf(at)).toEqual([]);
    expect(hook.received).toHaveLength(2);
  });
});
