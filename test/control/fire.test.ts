import { describe, expect, test } from 'vitest';
import type { FiredWebhook as Fired } from '../../src/webhooks/fire.ts';
import { manualTimers } from '../support/manual-timers.ts';
import { eventTypes, mint, mintIn, orderFor } from '../support/orders.ts';
import {
  deadUrl,
  deliveriesOf,
  headerOf,
  type Received,
  receiver,
  register,
  rightSignature,
  WEBHOOK_SECRET,
} from '../support/receiver.ts';
import { rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';
import { sharedWatched } from '../support/unchanged.ts';

const FIRE = '/webhooks/fire';

const ORDER_TYPES = {
  'order.recorded': 'EXTERNALLY_PAID',
  'order.manual_review_cleared': 'EXTERNALLY_PAID',
  'order.transfer_started': 'TRANSFER_IN_PROGRESS',
  'order.transfer_completed': 'TRANSFER_COMPLETED',
  'order.settled': 'SETTLED',
  'order.refunded': 'REFUNDED',
};

function bodyOf(got: Received | undefined) {
  return JSON.parse(got?.body ?? 'null');
}

/** A sandbox, a receiver, and a function that fires `order.recorded` at it, with other input. */
async function range() {
  const at = await sandbox();
  const hook = await receiver();
  const target = { url: hook.url, secret: WEBHOOK_SECRET };
  const fire = (input: object = {}) =>
    at.control.post<Fired>(FIRE, { type: 'order.recorded', ...target, ...input });
  return { at, hook, target, fire };
}

/** Whether a webhook has the signature of the secret. */
function isSigned(webhook: Received | undefined, secret = WEBHOOK_SECRET): boolean {
  return (
    webhook !== undefined &&
    headerOf(webhook, 'X-Service-Signature') === rightSignature(webhook, secret)
  );
}

describe('a sample event', () => {
  test.each(Object.entries(ORDER_TYPES))(
    '%s is plausible and rightly signed',
    async (type, status) => {
      const { hook, fire } = await range();
      const fired = await fire({ type });
      expect(fired).toMatchObject({ ok: true, url: hook.url, attempts: [{ outcome: 'ok' }] });
      const [got] = hook.received;
      expect(bodyOf(got)).toEqual(fired.event);
      expect(fired.event).toEqual({
        id: expect.stringMatching(/^evt_/),
        type,
        created_at: '2026-03-02T09:00:00.000Z',
        partner_id: 'ptr_local',
        data: {
          order: {
            public_id: expect.stringMatching(/^ord_[0-9a-z]{16}$/),
            domain: expect.stringMatching(/^[a-z0-9.-]+\.[a-z]+$/),
            status,
            sale_price_cents: expect.any(Number),
            currency: 'USD',
          },
        },
      });
      expect(isSigned(got)).toBe(true);
    },
  );

  test('has the same data at the same time, and other data at another', async () => {
    const { at, fire } = await range();
    const { data } = (await fire()).event;
    expect((await fire()).event.data).toEqual(data);
    await at.control.post('/clock/advance', { by: '1s' });
    expect((await fire()).event.data).not.toEqual(data);
  });

  test('brokerage.case_completed describes a case', async () => {
    const { hook, fire } = await range();
    await fire({ type: 'brokerage.case_completed' });
    expect(Object.keys(bodyOf(hook.received[0]).data.case)).toEqual([
      'case_id',
      'domain',
      'status',
      'tier',
      'deal_price_cents',
      'currency',
      'commission_cents',
    ]);
  });
});

describe('an event about an order', () => {
  test('shows it as it would be then', async () => {
    const { at, hook, fire } = await range();
    const order = await orderFor(at);
    await fire({ type: 'order.settled', order: order.public_id });
    const { public_id, domain, sale_price_cents, currency } = order;
    expect(bodyOf(hook.received[0]).data).toEqual({
      order: { public_id, domain, status: 'SETTLED', sale_price_cents, currency },
    });
    expect(await eventTypes(at)).toEqual(['order.recorded']);
  });

  test.each([
    ['cancel', 'CANCELLED'],
    ['refund', 'REFUNDED'],
  ])('order.refunded after %s says %s', async (action, status) => {
    const { at, hook, fire } = await range();
    const { public_id } = await orderFor(at);
    await at.control.post(`/orders/${public_id}/advance`, { action });
    await fire({ type: 'order.refunded', order: public_id });
    expect(bodyOf(hook.received[0]).data.order).toMatchObject({ public_id, status });
  });

  test('has an id that is not in the event history', async () => {
    const { at, fire } = await range();
    const { event } = await fire({ order: (await orderFor(at)).public_id });
    const list = { method: 'GET', target: `/api/partner/v1/events?after_id=${event.id}` };
    expect(await rejection(await at.call(list))).toMatchObject({ code: 'validation_error' });
  });

  test('goes where its partner is registered', async () => {
    const { at, hook } = await range();
    const other = await mint(at, { partner: 'other' });
    await register(at, hook.url, { key: other, secret: 'theirs' });
    const { public_id } = await orderFor(at, 0, other);
    await at.idle();
    await at.control.post(FIRE, { type: 'order.refunded', order: public_id });
    const got = hook.received[1];
    expect(bodyOf(got)).toMatchObject({ partner_id: other.partner_id, type: 'order.refunded' });
    expect(isSigned(got, 'theirs')).toBe(true);
  });
});

describe('what is sent', () => {
  test('goes to the registered URL with the registered secret by default', async () => {
    const { at, hook, fire } = await range();
    const elsewhere = await receiver();
    await register(at, hook.url);
    await fire({ url: undefined, secret: undefined });
    await fire({ url: elsewhere.url, secret: undefined });
    await fire({ secret: 'other' });
    expect([hook.received.length, elsewhere.received.length]).toEqual([2, 1]);
    const [first, second] = hook.received;
    const signed = [isSigned(first), isSigned(second, 'other'), isSigned(elsewhere.received[0])];
    expect(signed).toEqual([true, true, true]);
  });

  test('goes to the URL registered in its world', async () => {
    const { at, hook } = await range();
    const key = await mintIn(at, 'w1');
    await register(at, hook.url, { key });
    await at.control.in('w1').post(FIRE, { type: 'order.recorded' });
    expect(bodyOf(hook.received[0]).partner_id).toBe(key.partner_id);
    expect(isSigned(hook.received[0])).toBe(true);
  });

  test('may have fields replaced', async () => {
    const { hook, fire } = await range();
    const set = {
      'data.order.status': 'SETTLED',
      'data.order.sale_price_cents': 5,
      id: 'evt_mine',
      created_at: null,
    };
    const fired = await fire({ set });
    const body = bodyOf(hook.received[0]);
    expect(body).toEqual(fired.event);
    expect(body).toMatchObject({
      id: 'evt_mine',
      created_at: null,
      data: { order: { status: 'SETTLED', sale_price_cents: 5 } },
    });
    expect(isSigned(hook.received[0])).toBe(true);
  });

  test('may have data of its own', async () => {
    const { hook, fire } = await range();
    const data = { anything: [1, { deep: null }] };
    await fire({ data });
    expect(bodyOf(hook.received[0]).data).toEqual(data);
  });

  test('may be signed wrongly, in a way that only a comparison finds out', async () => {
    const { hook, fire } = await range();
    await fire({ corrupt_signature: true });
    const [got] = hook.received;
    expect(got && headerOf(got, 'X-Service-Signature')).toMatch(/^[0-9a-f]{64}$/);
    expect(isSigned(got)).toBe(false);
  });

  test('is not in the history and is not retried', async () => {
    const { at, hook, fire } = await range();
    hook.response = 500;
    expect(await fire()).toMatchObject({
      ok: false,
      attempts: [{ outcome: 'status 500', http_status: 500 }],
    });
    await at.control.post('/clock/advance', { by: '1d' });
    expect(hook.received).toHaveLength(1);
    expect(await eventTypes(at)).toEqual([]);
    expect(await deliveriesOf(at)).toEqual([]);
  });
});

describe('the response', () => {
  test('is shown without the registered secret, and without the part at which it is cut', async () => {
    const at = await sandbox();
    const secret = 'known-to-the-receiver';
    const hook = await receiver((response) => response.end(`got ${secret}`));
    await register(at, hook.url, { secret });
    const fire = () => at.control.post<Fired>(FIRE, { type: 'order.recorded' });
    expect((await fire()).attempts[0]?.response).toBe('got [redacted]');
    hook.response = (response) => response.end(secret.repeat(100));
    expect((await fire()).attempts[0]?.response).not.toContain('known');
    await orderFor(at);
    await at.idle();
    await register(at, hook.url, { secret: 'rotated-at-the-receiver' });
    const [delivery] = await deliveriesOf(at);
    const shown = await at.control.get(`/deliveries/${delivery?.delivery_id}`);
    expect(JSON.stringify(shown)).not.toContain('known');
  });

  test('shows what the receiver said, as far as it matters', async () => {
    const { hook, fire } = await range();
    hook.response = (response) => {
      response.writeHead(400).end(`bad signature${'!'.repeat(50_000)}`);
    };
    const { ok, attempts } = await fire();
    expect(ok).toBe(false);
    expect(attempts[0]).toMatchObject({ outcome: 'status 400', http_status: 400 });
    expect(attempts[0]?.response).toMatch(/^bad signature!/);
    expect(attempts[0]?.response?.length).toBeLessThan(5_000);
  });

  test('is ok only when every attempt was', async () => {
    const { hook, fire } = await range();
    hook.response = (response, n) => response.writeHead(n === 2 ? 204 : 200).end();
    const fired = await fire({ times: 3 });
    expect(fired.ok).toBe(false);
    expect(fired.attempts.map(({ outcome }) => outcome)).toEqual(['ok', 'status 204', 'ok']);
  });

  test('reports a receiver that is not there or too slow', async () => {
    const runtime = manualTimers();
    const at = await sandbox({ runtime });
    const hook = await receiver(() => runtime.ring(5_000));
    const fire = async (url: string) =>
      (await at.control.post<Fired>(FIRE, { type: 'order.recorded', url, secret: 's' })).attempts;
    const late = await fire(hook.url);
    expect(late).toMatchObject([{ outcome: 'timeout', http_status: null, response: null }]);
    const refused = await fire(await deadUrl());
    expect(refused).toMatchObject([{ outcome: 'connection_refused', http_status: null }]);
  });
});

describe('it is rejected', async () => {
  const { at, controlRejected } = await sharedWatched();

  test.each<[string, object, string]>([
    ['with an unknown type', { type: 'order.exploded' }, 'type'],
    ['without a type', { type: undefined }, 'type'],
    ['with a path to nothing', { set: { 'data.order.color': 'red' } }, 'color'],
    ['with a path through a text', { set: { 'id.x': 1 } }, 'id'],
    ['with a path through a list', { data: { a: [1] }, set: { 'data.a.0': 2 } }, 'not an object'],
    ['with a path through null', { data: { a: null }, set: { 'data.a.b': 2 } }, 'not an object'],
    ['with a path to a prototype', { set: { '__proto__.x': 1 } }, '__proto__'],
    ['with an empty path', { set: { '': 1 } }, 'set'],
    ['with an order and data', { order: 'ord_1', data: {} }, 'data'],
    ['with data that is no object', { data: [1] }, 'data'],
    ['with a forbidden url', { url: 'http://169.254.169.254/' }, 'url'],
    ['with a url of another kind', { url: 'file:///etc/passwd' }, 'url'],
    ['with an empty secret', { secret: '' }, 'secret'],
    ['with a secret that is not visible ASCII', { secret: 'a b' }, 'secret'],
    ['zero times', { times: 0 }, 'times'],
    ['a thousand times', { times: 1_000 }, 'times'],
    ['half a time', { times: 0.5 }, 'times'],
    ['with an unknown field', { typ: 1 }, ''],
  ])('%s, and nothing is sent', async (_what, change, named) => {
    const hook = await receiver();
    await register(at, hook.url);
    const fire = () => at.control.post(FIRE, { type: 'order.recorded', ...change });
    const { status, code, message } = await controlRejected(fire);
    expect({ status, code }).toEqual({ status: 400, code: 'validation_error' });
    expect(message).toContain(named);
    expect(hook.received).toEqual([]);
  });

  test('about an order that is not there', async () => {
    const { fire } = await range();
    await expect(fire({ order: 'ord_none' })).rejects.toMatchObject({
      status: 404,
      message: 'order: order ord_none not found',
    });
  });

  test('when neither it nor a registration says where to', async () => {
    const at = await sandbox();
    for (const given of [{}, { url: 'http://127.0.0.1:9/' }, { secret: 's' }]) {
      const fire = at.control.post(FIRE, { type: 'order.recorded', ...given });
      await expect(fire).rejects.toMatchObject({ status: 409, code: 'conflict' });
    }
  });

  test('with data nested too deeply to be written down', async () => {
    const { at, hook, target } = await range();
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    const body = `{"type": "order.recorded", "url": "${target.url}", "secret": "s", "data": ${deep}}`;
    const headers = { 'Content-Type': 'application/json' };
    const response = await at.fetch(`/_sandbox${FIRE}`, { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect(hook.received).toEqual([]);
  });
});
