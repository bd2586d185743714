import { describe, expect, onTestFinished, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import { magic, orderFor, withOrder } from '../support/orders.ts';
import { type Receiver, receiver, register, withReceiver } from '../support/receiver.ts';
import { testRuntime } from '../support/runtime.ts';
import { sandbox } from '../support/sandbox.ts';

interface Met {
  met: boolean;
  count: number;
  seen: string[];
}

function wait(at: InProcessSandbox, input: object): Promise<Met> {
  return at.control.post<Met>('/wait', input);
}

/** A sandbox in which waiting takes no real time: a sleep moves the real clock. */
async function impatient(): Promise<InProcessSandbox> {
  const runtime = testRuntime();
  return sandbox({
    runtime: {
      ...runtime,
      now: () => runtime.time,
      sleep: async (ms) => {
        // Work that has begun in this turn comes first.
        await new Promise((turn) => setImmediate(turn));
        runtime.time += ms;
      },
    },
  });
}

/** A registered receiver that responds on request. */
async function patientReceiver(at: InProcessSandbox): Promise<Receiver & { release(): void }> {
  let waiting: (() => void)[] = [];
  const hook = await receiver((response) => {
    waiting.push(() => response.writeHead(200).end());
  });
  await register(at, hook.url);
  return Object.assign(hook, {
    release: () => {
      for (const response of waiting) response();
      waiting = [];
    },
  });
}

describe('idle', () => {
  test('returns at once if nothing is due', async () => {
    const at = await sandbox();
    expect(await at.control.post('/idle')).toEqual({
      idle: true,
      pending_deliveries: 0,
      next_attempt_at: null,
      failed_deliveries: 0,
    });
  });

  test('returns when everything due has been delivered', async () => {
    const at = await sandbox();
    const hook = await patientReceiver(at);
    await Promise.all([orderFor(at, 0), orderFor(at, 1)]);
    const idle = at.control.post('/idle');
    await hook.came(1);
    hook.release();
    await hook.came(2);
    hook.release();
    expect(await idle).toMatchObject({ idle: true, pending_deliveries: 0 });
    expect(hook.received).toHaveLength(2);
  });

  test('does not wait for what is due later', async () => {
    const { at } = await withReceiver(500);
    await orderFor(at, magic('auto-complete', 199_900));
    expect(await at.control.post('/idle')).toMatchObject({ idle: true });
  });

  test('counts the deliveries that wait for a retry, with the time of the first, and those that failed', async () => {
    const { at } = await withReceiver(500);
    await orderFor(at, 0);
    await orderFor(at, 1);
    await at.idle();
    const { deliveries } = await at.control.get<{ deliveries: { next_attempt_at: string }[] }>(
      '/deliveries',
    );
    const times = deliveries.map((delivery) => delivery.next_attempt_at).sort();
    expect(await at.control.post('/idle')).toEqual({
      idle: true,
      pending_deliveries: 2,
      next_attempt_at: times[0],
      failed_deliveries: 0,
    });
    await at.control.post('/clock/advance', { by: '2d' });
    expect(await at.control.post('/idle')).toMatchObject({
      pending_deliveries: 0,
      next_attempt_at: null,
      failed_deliveries: 2,
    });
  });

  test('says what is in progress when the time is up', async () => {
    const at = await impatient();
    const hook = await patientReceiver(at);
    await orderFor(at);
    await hook.came(1);
    await expect(at.control.post('/idle', { timeout_ms: 250 })).rejects.toMatchObject({
      status: 409,
      code: 'conflict',
      message: expect.stringMatching(
        /still busy after 250 ms, in progress or due:\n {2}attempt 1 of 8 to deliver order\.recorded of [\w.-]+$/,
      ),
    });
    hook.release();
    await at.idle();
    expect(await at.control.post('/idle')).toMatchObject({ idle: true });
  });

  test.each([
    { timeout_ms: -1 },
    { timeout_ms: 1.5 },
    { timeout_ms: '1s' },
    { timeout_ms: 1e9 },
    { timeout: 5 },
  ])('rejects %j', async (body) => {
    const at = await sandbox();
    await expect(at.control.post('/idle', body)).rejects.toMatchObject({
      code: 'validation_error',
    });
  });
});

describe('waiting for an order', () => {
  test('is over at once when it is there, or has been', async () => {
    const { at, public_id: id } = await withOrder();
    expect(await wait(at, { for: 'order', id, state: 'EXTERNALLY_PAID' })).toMatchObject({
      met: true,
      count: 1,
    });
    await at.control.post(`/orders/${id}/advance`, { to: 'TRANSFER_COMPLETED' });
    expect(await wait(at, { for: 'order', id, state: 'TRANSFER_IN_PROGRESS' })).toMatchObject({
      met: true,
    });
  });

  test('is over when it gets there', async () => {
    const { at, public_id: id } = await withOrder();
    const waiting = wait(at, { for: 'order', id, state: 'SETTLED' });
    await at.control.post(`/orders/${id}/advance`, { to: 'TRANSFER_COMPLETED' });
    await at.control.post('/settlements/run');
    expect(await waiting).toMatchObject({ met: true });
  });

  test('may begin before the order is there', async () => {
    const at = await sandbox();
    const { public_id: id } = await withOrder(magic('held-order', 250_000));
    const waiting = wait(at, { for: 'order', id, state: 'MANUAL_REVIEW' });
    // The same seed gives the same id.
    await orderFor(at, magic('held-order', 250_000));
    expect(await waiting).toMatchObject({ met: true });
  });

  test('says in which states it has seen it when the time is up', async () => {
    const at = await impatient();
    const { public_id: id } = await orderFor(at, magic('held-order', 250_000));
    await expect(wait(at, { for: 'order', id, state: 'SETTLED' })).rejects.toMatchObject({
      status: 409,
      code: 'conflict',
      message: expect.stringMatching(/SETTLED.*MANUAL_REVIEW at .*EXTERNALLY_PAID at /s),
    });
    await expect(wait(at, { for: 'order', id: 'ord_none', state: 'SETTLED' })).rejects.toThrow(
      'id: order ord_none not found',
    );
  });
});

describe('waiting for events', () => {
  test('counts those of a type, about an order', async () => {
    const { at, public_id: id } = await withOrder(0);
    await orderFor(at, 1);
    expect(await wait(at, { for: 'event' })).toMatchObject({ met: true, count: 2 });
    expect(await wait(at, { for: 'event', type: 'order.recorded', id })).toMatchObject({
      count: 1,
    });
    const refunded = wait(at, { for: 'event', type: 'order.refunded', id });
    await at.control.post(`/orders/${id}/advance`, { action: 'refund' });
    expect(await refunded).toMatchObject({ met: true, count: 1 });
  });

  test('waits for as many as are asked for', async () => {
    const at = await sandbox();
    const three = wait(at, { for: 'event', type: 'order.recorded', count: 3 });
    for (let n = 0; n < 3; n += 1) await orderFor(at, n);
    expect(await three).toMatchObject({ met: true, count: 3 });
  });

  test('says what it has seen when the time is up', async () => {
    const at = await impatient();
    const { public_id: id } = await orderFor(at);
    await expect(wait(at, { for: 'event', type: 'order.settled', id })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(
        new RegExp(`order\\.settled.*${id}.*found 0.*order\\.recorded for ${id}`, 's'),
      ),
    });
    await expect(wait(await impatient(), { for: 'event' })).rejects.toThrow('nothing of the kind');
  });
});

describe('waiting for deliveries', () => {
  test('counts those that have arrived', async () => {
    const at = await sandbox();
    const hook = await patientReceiver(at);
    const { public_id: id } = await orderFor(at);
    const waiting = wait(at, { for: 'delivery', type: 'order.recorded', id });
    await hook.came(1);
    hook.release();
    expect(await waiting).toMatchObject({ met: true, count: 1 });
  });

  test('counts those in another status when asked', async () => {
    const { at } = await withReceiver(500);
    await orderFor(at);
    expect(await wait(at, { for: 'delivery', status: 'pending' })).toMatchObject({ count: 1 });
    const failed = wait(at, { for: 'delivery', status: 'failed' });
    await at.control.post('/clock/advance', { by: '1d' });
    expect(await failed).toMatchObject({ met: true });
  });

  test('exactly so many are not met while another is in progress', async () => {
    const at = await impatient();
    const hook = await receiver((response, n) => {
      if (n === 1) response.writeHead(200).end();
    });
    await register(at, hook.url);
    await Promise.all([orderFor(at, 0), orderFor(at, 1)]);
    await hook.came(2);
    const input = { for: 'delivery', type: 'order.recorded', exactly: 1 };
    await expect(wait(at, input)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('in progress'),
    });
  });

  test('exactly so many are met when there are no more to come', async () => {
    const { at, hook } = await withReceiver();
    await Promise.all([orderFor(at, 0), orderFor(at, 1)]);
    const input = { for: 'delivery', type: 'order.recorded' };
    expect(await wait(at, { ...input, exactly: 2 })).toMatchObject({ met: true, count: 2 });
    expect(hook.received).toHaveLength(2);
    expect(await wait(at, { ...input, id: 'ord_none', exactly: 0 })).toMatchObject({ count: 0 });
  });

  test('more than exactly that many fails at once', async () => {
    const { at } = await withReceiver();
    await Promise.all([orderFor(at, 0), orderFor(at, 1)]);
    await expect(wait(at, { for: 'delivery', exactly: 1 })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('found 2'),
    });
  });

  test('says how far each of them is when the time is up', async () => {
    const at = await impatient();
    await register(at, (await receiver(500)).url);
    const { public_id: id } = await orderFor(at);
    await at.idle();
    await expect(wait(at, { for: 'delivery', id })).rejects.toThrow(
      new RegExp(`order\\.recorded for ${id} pending after 1 attempt`),
    );
  });
});

describe('an invalid input is rejected', () => {
  test.each<[string, object]>([
    ['for', {}],
    ['for', { for: 'godot' }],
    ['id', { for: 'order', state: 'SETTLED' }],
    ['state', { for: 'order', id: 'ord_1' }],
    ['state', { for: 'order', id: 'ord_1', state: 'HELD' }],
    ['count', { for: 'order', id: 'ord_1', state: 'SETTLED', count: 2 }],
    ['type', { for: 'event', type: 'order.exploded' }],
    ['state', { for: 'event', state: 'SETTLED' }],
    ['state', { for: 'delivery', state: 'SETTLED' }],
    ['exactly', { for: 'event', count: 1, exactly: 1 }],
    ['count', { for: 'event', count: 0.5 }],
    ['exactly', { for: 'event', exactly: -1 }],
    ['timeout_ms', { for: 'event', timeout_ms: 1e12 }],
    ['typ', { for: 'event', typ: 'order.recorded' }],
  ])('at %s: %j', async (field, body) => {
    const at = await sandbox();
    const named = { code: 'validation_error', message: expect.stringMatching(`\\b${field}\\b`) };
    await expect(wait(at, body)).rejects.toMatchObject({ status: 400, ...named });
  });
});

test.each<[string, object, RegExp]>([
  ['/idle', {}, /^timeout_ms: still busy when the sandbox stops, in progress or due:\n/],
  ['/wait', { for: 'event', type: 'order.settled' }, /^waited for at least 1 order.settled event/],
  ['/wait', { for: 'event', exactly: 1 }, /^waited for exactly 1 event/],
])('a pending POST %s %j ends at once when the sandbox stops', async (path, input, message) => {
  const at = await sandbox();
  const hook = await patientReceiver(at);
  await orderFor(at);
  await hook.came(1);
  const waiting = at.control.post(path, { ...input, timeout_ms: 600_000 });
  const error = { status: 409, code: 'conflict', message: expect.stringMatching(message) };
  const ended = expect(waiting).rejects.toMatchObject(error);
  // Gives the call time to begin to wait.
  await at.control.get('/clock');
  const closed = at.close();
  await ended;
  hook.release();
  await closed;
});

test('of a world that is deleted, everything in flight ends with an error that says so', async () => {
  const reported: unknown[] = [];
  const shop = await openSandbox({ inventory: 5, report: (error) => reported.push(error) });
  onTestFinished(() => shop.close());
  const app = shop.app;
  const post = async (path: string, body: object) => {
    const headers = { 'Content-Type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await app.request(`http://localhost/_sandbox${path}`, init);
    return { status: response.status, text: await response.text() };
  };
  await post('/worlds', { name: 'w1' });
  const world = shop.worlds.require('w1');
  const waiting = [
    post('/wait?world=w1', { for: 'event', timeout_ms: 600_000 }),
    post('/wait?world=w1', { for: 'event', exactly: 1, timeout_ms: 600_000 }),
  ];
  await post('/clock/freeze?world=w1', {});
  await app.request('http://localhost/_sandbox/worlds/w1', { method: 'DELETE' });
  for (const { status, text } of await Promise.all(waiting)) {
    expect(status).toBe(404);
    expect(text).toContain('world');
  }
  expect(() => world.read(() => {})).toThrow('world: w1 has been deleted');
  expect(() => world.transaction(() => {})).toThrow('world: w1 has been deleted');
  expect(reported).toEqual([]);
});
