import { describe, expect, test } from 'vitest';
import { ControlApiError } from '../../src/index.ts';
import { addFault } from '../support/faults.ts';
import { manualTimers } from '../support/manual-timers.ts';
import { magic, mint, mintIn, orderFor, withOrder } from '../support/orders.ts';
import {
  type Delivery,
  deliveriesOf,
  HELD,
  headerOf,
  onlyDelivery,
  type ReceiverResponse,
  receiver,
  register,
  rightSignature,
  withAttempt,
  withReceiver,
} from '../support/receiver.ts';
import { sandbox } from '../support/sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';

/** When the eight attempts are made: 5 s, 30 s, 2 min, 10 min, 30 min, 2 h and 6 h apart. */
const ATTEMPT_TIMES = [
  '2026-03-02T09:00:00.000Z',
  '2026-03-02T09:00:05.000Z',
  '2026-03-02T09:00:35.000Z',
  '2026-03-02T09:02:35.000Z',
  '2026-03-02T09:12:35.000Z',
  '2026-03-02T09:42:35.000Z',
  '2026-03-02T11:42:35.000Z',
  '2026-03-02T17:42:35.000Z',
];

const withFailedFirst = () => withAttempt(503);
const timesOf = (delivery?: Delivery) => delivery?.attempts.map(({ at }) => at);

/** As `withReceiver`, with a running clock and timers in the hands of the test. */
async function withTimers(response: ReceiverResponse) {
  const time = Date.UTC(2026, 2, 2, 9);
  const runtime = { ...manualTimers(), time, now: () => runtime.time };
  const { at, hook } = await withReceiver(response, { runtime, requestLog: 0 });
  await at.control.post('/clock/resume');
  return { at, hook, runtime };
}

describe('the schedule', () => {
  test('goes on in time when the clock was held during an attempt', async () => {
    const { at, hook, runtime } = await withTimers(HELD);
    await orderFor(at);
    await hook.came(1);
    const held = at.control.post('/clock/until', { event: 'order.settled', within: '1s' });
    await at.control.get('/clock');
    runtime.time += 2_000;
    hook.release(500);
    await held;
    expect(runtime.waiting()).toEqual([3_000]);
  });

  test('makes eight attempts at their times, then gives up', async () => {
    const { at, hook } = await withFailedFirst();
    for (const [n, time] of ATTEMPT_TIMES.entries()) {
      const delivery = await onlyDelivery(at);
      expect(timesOf(delivery)).toEqual(ATTEMPT_TIMES.slice(0, n + 1));
      expect(hook.received).toHaveLength(n + 1);
      const next = ATTEMPT_TIMES[n + 1];
      if (next === undefined) {
        expect(delivery).toMatchObject({ status: 'failed', next_attempt_at: null });
        continue;
      }
      expect(delivery).toMatchObject({ status: 'pending', next_attempt_at: next });
      const wait = Date.parse(next) - Date.parse(time);
      await at.control.post('/clock/advance', { by: `${wait - 1}ms` });
      expect(hook.received).toHaveLength(n + 1);
      await at.control.post('/clock/advance', { by: '1ms' });
    }
    await at.control.post('/clock/advance', { by: '30d' });
    expect(hook.received).toHaveLength(8);
  });

  test('is the same when the clock is moved at one go, with the same bytes and signature every time', async () => {
    const { at, hook, order } = await withFailedFirst();
    await at.control.post(`/orders/${order.public_id}/advance`, { action: 'hold' });
    await at.control.post('/clock/advance', { by: '2d' });
    const delivery = await onlyDelivery(at);
    expect(delivery.status).toBe('failed');
    expect(timesOf(delivery)).toEqual(ATTEMPT_TIMES);
    expect(hook.received).toHaveLength(8);
    expect(new Set(hook.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(hook.received.map((got) => headerOf(got, 'X-Service-Signature'))).size).toBe(1);
  });

  test('ends with the first 200', async () => {
    const { at, hook } = await withFailedFirst();
    await at.control.post('/clock/advance', { by: '5s' });
    hook.response = 200;
    await at.control.post('/clock/advance', { by: '2d' });
    expect(await onlyDelivery(at)).toMatchObject({
      status: 'delivered',
      attempts: [{ outcome: 'status 503' }, { outcome: 'status 503' }, { outcome: 'ok' }],
      next_attempt_at: null,
    });
  });

  test('of one event holds up none of the others', async () => {
    const { at, hook } = await withReceiver((response, n) =>
      response.writeHead(n === 1 ? 500 : 200).end(),
    );
    await orderFor(at, 0);
    await orderFor(at, 1);
    await at.idle();
    expect((await deliveriesOf(at)).map(({ status }) => status)).toEqual(['pending', 'delivered']);
    await at.control.post('/clock/advance', { by: '5s' });
    expect(await deliveriesOf(at)).toMatchObject(Array(2).fill({ status: 'delivered' }));
    const orders = hook.received.map(({ body }) => JSON.parse(body).data.order.public_id);
    expect(orders[2]).toBe(orders[0]);
  });

  test.each([
    ['', 'local'],
    [', also of another partner', 'other'],
  ])('counts from each attempt%s', async (_, partner) => {
    const { at, hook } = await withReceiver(500);
    const key = await mint(at, { partner });
    await register(at, hook.url, { key });
    await orderFor(at, 0);
    await at.control.post('/clock/advance', { by: '3s' });
    await orderFor(at, 1, key);
    await at.control.post('/clock/advance', { by: '1h' });
    const [first, second] = await deliveriesOf(at);
    expect(timesOf(first)).toEqual(ATTEMPT_TIMES.slice(0, 6));
    const later = ATTEMPT_TIMES.map((time) => new Date(Date.parse(time) + 3_000).toISOString());
    expect(timesOf(second)).toEqual(later.slice(0, 6));
  });
});

describe('the url and secret', () => {
  test('are those registered when the attempt is made', async () => {
    const { at, hook } = await withFailedFirst();
    const moved = await receiver();
    await register(at, moved.url, { secret: 'new-secret' });
    await at.control.post('/clock/advance', { by: '5s' });
    expect(hook.received).toHaveLength(1);
    const [got] = moved.received;
    if (!got) throw new Error('nothing came');
    expect(got.body).toBe(hook.received[0]?.body);
    expect(headerOf(got, 'X-Service-Signature')).toBe(rightSignature(got, 'new-secret'));
    expect(await onlyDelivery(at)).toMatchObject({ status: 'delivered', url: moved.url });
  });
});

describe('by hand', () => {
  test('a failed delivery is tried once more, and fails again for good', async () => {
    const { at, hook } = await withFailedFirst();
    await at.control.post('/clock/advance', { by: '2d' });
    const { delivery_id } = await onlyDelivery(at);
    const retried = await at.control.post<Delivery>(`/deliveries/${delivery_id}/retry`);
    expect(retried).toMatchObject({ status: 'pending', next_attempt_at: expect.any(String) });
    await at.idle();
    expect(hook.received).toHaveLength(9);
    expect(await onlyDelivery(at)).toMatchObject({ status: 'failed', next_attempt_at: null });
    hook.response = 200;
    await at.control.post(`/deliveries/${delivery_id}/retry`);
    await hook.came(10);
    await at.idle();
    expect(await onlyDelivery(at)).toMatchObject({
      status: 'delivered',
      attempts: { length: 10, 9: { at: '2026-03-04T09:00:00.000Z', outcome: 'ok' } },
    });
  });

  test('a pending delivery need not wait for its time', async () => {
    const { at, hook } = await withFailedFirst();
    hook.response = 200;
    const { delivery_id } = await onlyDelivery(at);
    await at.control.post(`/deliveries/${delivery_id}/retry`);
    await at.idle();
    expect(await onlyDelivery(at)).toMatchObject({
      status: 'delivered',
      attempts: [{}, { outcome: 'ok' }],
    });
    await at.control.post('/clock/advance', { by: '1d' });
    expect(hook.received).toHaveLength(2);
  });

  test.each(['is being sent', 'failed with its registration while it is being sent'])(
    'a delivery that %s is tried once more if that attempt fails',
    async (what) => {
      const { at, hook } = await withReceiver(HELD);
      await orderFor(at, 0);
      await hook.came(1);
      if (what.startsWith('failed')) await at.control.delete('/webhooks', { url: hook.url });
      await register(at, hook.url);
      await at.control.post(`/deliveries/${(await onlyDelivery(at)).delivery_id}/retry`);
      hook.response = 200;
      hook.release(500);
      await at.idle();
      expect(await onlyDelivery(at)).toMatchObject({
        status: 'delivered',
        attempts: [{ outcome: 'status 500' }, { outcome: 'ok' }],
      });
    },
  );

  test('a delivered webhook is not retried; its event can be resent', async () => {
    const { at, hook } = await withAttempt();
    const { delivery_id, event_id } = await onlyDelivery(at);
    const rejected = at.control.post(`/deliveries/${delivery_id}/retry`);
    await expect(rejected).rejects.toThrow(ControlApiError);
    await expect(rejected).rejects.toMatchObject({ status: 409, code: 'conflict' });
    await at.idle();
    expect(hook.received).toHaveLength(1);
    const again = await at.control.post<Delivery>(`/events/${event_id}/resend`);
    expect(again.delivery_id).not.toBe(delivery_id);
    await at.idle();
    expect(hook.received).toHaveLength(2);
    expect(hook.received[1]?.body).toBe(hook.received[0]?.body);
    expect(await deliveriesOf(at, { event_id })).toHaveLength(2);
  });

  test('what does not exist is not found', async () => {
    const at = await sandbox();
    for (const path of ['/deliveries/dlv_none/retry', '/events/evt_none/resend']) {
      await expect(at.control.post(path)).rejects.toMatchObject({ status: 404 });
    }
    await expect(at.control.get('/deliveries/dlv_none')).rejects.toMatchObject({ status: 404 });
  });

  test('an event cannot be resent if no URL is registered', async () => {
    const { at } = await withOrder();
    const { events } = await at.control.get<{ events: { id: string }[] }>('/events');
    const resend = at.control.post(`/events/${events[0]?.id}/resend`);
    await expect(resend).rejects.toMatchObject({ status: 409, code: 'conflict' });
    expect(await deliveriesOf(at)).toEqual([]);
  });
});

describe('a restart', () => {
  test('sends what was due and not sent', async () => {
    const dataDir = stateFolder();
    const cut: ReceiverResponse = (response) => response.socket?.destroy();
    const { at: before, hook } = await withReceiver(cut, { dataDir });
    await Promise.all(Array.from({ length: 5 }, (_, n) => orderFor(before, n)));
    await before.close();
    hook.response = 200;
    const after = await sandbox({ dataDir });
    await after.control.post('/clock/advance', { by: '5s' });
    expect(await deliveriesOf(after)).toMatchObject(Array(5).fill({ status: 'delivered' }));
  });

  test('goes on with the schedule where it stood', async () => {
    const dataDir = stateFolder();
    const { at: before } = await withAttempt(503, { dataDir });
    await before.control.post('/clock/advance', { by: '40s' });
    await before.close();
    const after = await sandbox({ dataDir });
    await after.control.post('/clock/advance', { by: '2d' });
    expect(timesOf(await onlyDelivery(after))).toEqual(ATTEMPT_TIMES);
  });
});

describe('while a delivery is under way', () => {
  test('a reset leaves nothing of it, and what comes after is delivered', async () => {
    const { at, hook } = await withReceiver(HELD);
    await Promise.all([orderFor(at, 0), orderFor(at, 1)]);
    await hook.came(1);
    await at.reset();
    await register(at, hook.url);
    hook.response = 200;
    const { public_id } = await orderFor(at, 2);
    hook.release();
    await at.idle();
    expect(hook.received).toHaveLength(2);
    expect(hook.received[1]?.body).toContain(public_id);
    expect(await deliveriesOf(at)).toMatchObject([{ status: 'delivered', attempts: [{}] }]);
  });

  test('its world can be deleted', async () => {
    const at = await sandbox();
    const key = await mintIn(at, 'w1');
    const hook = await receiver(HELD);
    await register(at, hook.url, { key });
    await at.control.in('w1').post('/faults', { webhook: { duplicate: true } });
    for (const n of [0, 1]) await orderFor(at, n, key);
    await hook.came(1);
    const deleted = at.control.delete('/worlds/w1');
    hook.release();
    await deleted;
    await expect(at.control.get('/worlds/w1')).rejects.toMatchObject({ status: 404 });
    await at.idle();
    expect(hook.received).toHaveLength(1);
  });

  test('a step of an order that falls due is not late', async () => {
    const { at, hook, runtime } = await withTimers(HELD);
    const { public_id } = await orderFor(at, magic('auto-complete', 199_900));
    await hook.came(1);
    expect(runtime.waiting().toSorted()).toEqual([1_000, 5_000]);
    runtime.time += 1_000;
    runtime.ring(1_000);
    await at.control.post('/wait', { for: 'order', id: public_id, state: 'TRANSFER_IN_PROGRESS' });
    runtime.ring(5_000);
  });
});

describe('on a running clock', () => {
  test('a timer waits for the retry of a failed attempt, also after an advance, at most a minute', async () => {
    const { at, hook, runtime } = await withTimers(500);
    await orderFor(at);
    await at.idle();
    await expect.poll(() => runtime.waiting()).toEqual([5_000]);
    await at.control.post('/clock/advance', { by: '2s' });
    await expect.poll(() => runtime.waiting()).toEqual([3_000]);
    await at.control.post('/clock/advance', { by: '1h' });
    await expect.poll(() => runtime.waiting()).toEqual([60_000]);
    runtime.time += 7_200_000;
    runtime.ring(60_000);
    await hook.came(7);
  });

  test('a timer waits for a delivery that a fault delays after another was sent', async () => {
    const { at, hook, runtime } = await withTimers(HELD);
    await addFault(at, { match: { delivery: 2 }, webhook: { delay_ms: 60_000 } });
    await orderFor(at, 0);
    await orderFor(at, 1);
    await hook.came(1);
    hook.release();
    await at.idle();
    await expect.poll(() => runtime.waiting()).toEqual([60_000]);
  });
});
