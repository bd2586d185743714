import { expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import type { ControlRegistration } from '../../src/webhooks/registration.ts';
import { orderFor } from '../support/orders.ts';
import { deliveriesOf, receiver, register, withReceiver } from '../support/receiver.ts';
import { sandbox } from '../support/sandbox.ts';

async function registrations(at: InProcessSandbox): Promise<ControlRegistration[]> {
  return (await at.control.get<{ webhooks: ControlRegistration[] }>('/webhooks')).webhooks;
}

test('registrations are listed without their secrets', async () => {
  const at = await sandbox();
  const hook = await receiver(500);
  await register(at, hook.url, { secret: 'hunter2hunter2' });
  await orderFor(at);
  await at.idle();
  expect(await registrations(at)).toEqual([
    {
      partner_id: expect.stringMatching(/^ptr_/),
      partner: 'local',
      environment: 'SANDBOX',
      url: hook.url,
      active: true,
      created_at: '2026-03-02T09:00:00.000Z',
      updated_at: '2026-03-02T09:00:00.000Z',
      pending_deliveries: 1,
    },
  ]);
});

test('one that is removed gets nothing more: what was pending fails, what comes is not queued', async () => {
  const { at, hook } = await withReceiver(500);
  await orderFor(at, 0);
  const failed = async () =>
    (await at.control.get<{ total: number }>('/deliveries', { status: 'failed' })).total;
  await at.idle();
  expect(await failed()).toBe(0);
  const [before] = await registrations(at);
  expect(await at.control.delete('/webhooks', { url: hook.url })).toEqual({ webhooks: [before] });
  await orderFor(at, 1);
  await at.control.post('/clock/advance', { by: '1d' });
  const [delivery, ...more] = await deliveriesOf(at);
  expect(delivery).toMatchObject({ status: 'failed', next_attempt_at: null });
  expect(more).toEqual([]);
  expect(await failed()).toBe(1);
  expect(hook.received).toHaveLength(1);
  const retry = at.control.post(`/deliveries/${delivery?.delivery_id}/retry`);
  await expect(retry).rejects.toMatchObject({ code: 'conflict' });
  await at.idle();
  // With a new registration, it can be sent by hand.
  const later = await receiver();
  await register(at, later.url);
  await at.control.post(`/deliveries/${delivery?.delivery_id}/retry`);
  await at.idle();
  expect(later.received).toHaveLength(1);
});

test.each([
  [500, 'failed'],
  [200, 'delivered'],
])('one that is removed during an attempt with response %i leaves it %s', async (status, left) => {
  const held = Promise.withResolvers<void>();
  const { at, hook } = await withReceiver((response) => {
    void held.promise.then(() => response.writeHead(status).end());
  });
  await orderFor(at);
  await hook.came(1);
  await at.control.delete('/webhooks', { url: hook.url });
  held.resolve();
  await at.idle();
  expect(await deliveriesOf(at)).toMatchObject([
    { status: left, next_attempt_at: null, attempts: [{ http_status: status }] },
  ]);
});

test('removing an unknown registration, or none, is rejected and removes nothing', async () => {
  const { at } = await withReceiver();
  const absent = at.control.delete('/webhooks', { url: 'http://127.0.0.1:1/' });
  await expect(absent).rejects.toMatchObject({ code: 'not_found' });
  await expect(at.control.delete('/webhooks')).rejects.toMatchObject({ code: 'validation_error' });
  expect(await registrations(at)).toHaveLength(1);
});
