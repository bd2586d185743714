import { expect, test } from 'vitest';
import { nextTurn } from '../../src/kernel/timers.ts';
import { manualTimers } from '../support/manual-timers.ts';
import { magic, type Order, orderFor } from '../support/orders.ts';
import { testRuntime } from '../support/runtime.ts';
import { sandbox } from '../support/sandbox.ts';

const HOUR = 3_600_000;

/** Sets the clock of the machine back while the sandbox clock runs. @returns `before`, the sandbox time until then */
async function setBack() {
  const runtime = testRuntime();
  const at = await sandbox({ runtime });
  await at.control.post('/clock/resume');
  const now = async () => Date.parse((await at.control.get<{ now: string }>('/clock')).now);
  const before = await now();
  runtime.time -= HOUR;
  return { runtime, at, now, before };
}

test('the sandbox clock goes on from its last value when the clock of the machine is set back', async () => {
  const { runtime, now, before } = await setBack();
  expect(await now()).toBe(before);
  runtime.time += 1_000;
  expect(await now()).toBe(before + 1_000);
});

test('a rejected request does not take the sandbox clock back', async () => {
  const { at, now, before } = await setBack();
  const target = '/api/partner/v1/orders/ord_0000000none';
  expect((await at.call({ method: 'GET', target })).status).toBe(404);
  expect(await now()).toBe(before);
});

test('a frozen clock stays where it is when the clock of the machine is set back', async () => {
  const runtime = testRuntime();
  const at = await sandbox({ runtime });
  const { now } = await at.control.post<{ now: string }>('/clock/freeze');
  runtime.time -= HOUR;
  expect(await at.control.get('/clock')).toMatchObject({ now });
});

test('work that falls due while the machine sleeps runs within 3 s of its waking up', async () => {
  const timers = manualTimers();
  let time = Date.UTC(2026, 2, 2, 9);
  const at = await sandbox({ runtime: { ...timers, now: () => time }, requestLog: 0 });
  const { public_id } = await orderFor(at, magic('auto-complete', 199_900));
  await at.control.post('/clock/resume');
  time += HOUR;
  timers.ring(Math.min(...timers.waiting()));
  expect(Math.max(...timers.waiting(), 0)).toBeLessThanOrEqual(3_000);
  await at.idle();
  expect(await at.control.get<Order>(`/orders/${public_id}`)).not.toMatchObject({
    status: 'EXTERNALLY_PAID',
  });
});

test('while a retry is minutes away, the clock is looked at every 3 s', async () => {
  const timers = manualTimers();
  let time = Date.UTC(2026, 2, 2, 9);
  const at = await sandbox({ runtime: { ...timers, now: () => time }, requestLog: 0 });
  await at.control.put('/webhooks', { url: 'http://127.0.0.1:9/', secret: 's' });
  const { public_id } = await orderFor(at, magic('held-order', 250_000));
  await at.idle();
  await at.control.post('/clock/resume');
  await nextTurn();
  expect(timers.waiting()).toEqual([3_000]);
  const attempts = async () => {
    const { deliveries } = await at.control.get<{ deliveries: { attempts: unknown[] }[] }>(
      '/deliveries',
    );
    return deliveries.map((delivery) => delivery.attempts.length);
  };
  time += 1_000;
  timers.ring(3_000);
  expect(timers.waiting()).toEqual([3_000]);
  expect(await attempts()).toEqual([1]);
  time += HOUR;
  timers.ring(3_000);
  await at.idle();
  expect(await attempts()).toEqual([2]);
  expect(public_id).toBeTruthy();
});
