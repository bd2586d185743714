import { describe, expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { addFault, hitsOf } from '../support/faults.ts';
import { deal } from '../support/money.ts';
import { magic, mint, type Order, orderBody, orderFor, requestOrder } from '../support/orders.ts';
import {
  deliveriesOf,
  headerOf,
  onlyDelivery,
  type Received,
  type ReceiverResponse,
  receiver,
  register,
  rightSignature,
  typesOf,
  withAttempt,
  withReceiver,
} from '../support/receiver.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';
import { stateFolder } from '../support/state-folder.ts';

const START = '2026-03-02T09:00:00.000Z';

const shop = (options = {}) => withReceiver(200, { rateLimits: false, ...options });

/** A shop with a fault, after the first attempt to deliver the event of an order. */
async function faulty(fault: object, response: ReceiverResponse = 200) {
  const { at, hook } = await withReceiver(response, { rateLimits: false });
  await addFault(at, fault);
  const { public_id: id } = await orderFor(at);
  await at.idle();
  return { at, hook, id };
}

const isSigned = (sent: Received) => headerOf(sent, 'X-Service-Signature') === rightSignature(sent);

const advance = (at: InProcessSandbox, id: string, to: string) =>
  at.control.post<Order>(`/orders/${id}/advance`, { to });

test.each([
  ['drop', 0, 'dropped'],
  ['discard_response', 1, 'connection_reset'],
])(
  '%s: %i webhook is received, %s is recorded, and the retry follows the schedule',
  async (effect, sent, outcome) => {
    const { at, hook } = await faulty({ match: { first: 1 }, webhook: { [effect]: true } });
    expect(hook.received).toHaveLength(sent);
    expect(await onlyDelivery(at)).toMatchObject({
      status: 'pending',
      attempts: [{ at: START, outcome, http_status: null }],
      next_attempt_at: '2026-03-02T09:00:05.000Z',
    });
    await at.control.post('/clock/advance', { by: '5s' });
    expect(typesOf(hook)).toEqual(Array(sent + 1).fill('order.recorded'));
    expect(hook.received.at(-1)?.body).toBe(hook.received[0]?.body);
    expect(await onlyDelivery(at)).toMatchObject({
      status: 'delivered',
      attempts: [{ outcome }, { outcome: 'ok' }],
      last_response: '200',
    });
    expect(await hitsOf(at)).toEqual([1]);
  },
);

describe('corrupt_signature', () => {
  test('sends the right bytes with a wrong signature of the right form', async () => {
    const { at, hook } = await faulty(
      { webhook: { corrupt_signature: true }, times: 1 },
      (response, n) => response.writeHead(n === 1 ? 401 : 200).end(),
    );
    await at.control.post('/clock/advance', { by: '5s' });
    const [wrong, right] = hook.received;
    expect(wrong?.body).toBe(right?.body);
    expect(wrong && headerOf(wrong, 'X-Service-Signature')).toMatch(/^[0-9a-f]{64}$/);
    expect(hook.received.map(isSigned)).toEqual([false, true]);
    expect(await onlyDelivery(at)).toMatchObject({
      attempts: [{ outcome: 'status 401' }, { outcome: 'ok' }],
    });
  });
});

describe('duplicate', () => {
  test('sends the same bytes twice, one after the other', async () => {
    const { at, hook } = await faulty({ webhook: { duplicate: true } });
    expect(hook.received).toHaveLength(2);
    expect(hook.received[0]?.body).toBe(hook.received[1]?.body);
    expect(await onlyDelivery(at)).toMatchObject({
      status: 'delivered',
      attempts: [{ outcome: 'ok' }, { outcome: 'ok' }],
    });
    expect(await hitsOf(at)).toEqual([1]);
  });

  test('counts as one attempt, with any second response', async () => {
    const { at } = await faulty({ webhook: { duplicate: true }, times: 1 }, (response, n) =>
      response.writeHead(n === 2 ? 200 : 503).end(),
    );
    expect(await onlyDelivery(at)).toMatchObject({
      status: 'pending',
      attempts: [{ outcome: 'status 503' }, { outcome: 'ok' }],
      next_attempt_at: '2026-03-02T09:00:05.000Z',
    });
    await at.control.post('/clock/advance', { by: '5s' });
    expect(await onlyDelivery(at)).toMatchObject({ next_attempt_at: '2026-03-02T09:00:35.000Z' });
  });
});

describe('delay', () => {
  test('delays an attempt on the sandbox clock, once', async () => {
    const { at, hook } = await faulty({ webhook: { delay_ms: 600_000 } });
    expect(await onlyDelivery(at)).toMatchObject({
      status: 'pending',
      attempts: [],
      next_attempt_at: '2026-03-02T09:10:00.000Z',
    });
    expect(await at.control.get('/clock/upcoming')).toMatchObject({
      upcoming: [{ kind: 'delivery', at: '2026-03-02T09:10:00.000Z' }],
    });
    await at.control.post('/clock/advance', { by: '9m59s' });
    expect(hook.received).toEqual([]);
    await at.control.post('/clock/advance', { by: '1s' });
    expect(hook.received).toHaveLength(1);
    expect(await onlyDelivery(at)).toMatchObject({
      attempts: [{ at: '2026-03-02T09:10:00.000Z' }],
    });
    expect(await hitsOf(at)).toEqual([1]);
  });

  test('lets later webhooks pass, and keeps its other effects', async () => {
    const { at, hook, id } = await faulty({
      match: { event: 'order.recorded' },
      webhook: { delay_ms: 60_000, duplicate: true, corrupt_signature: true },
    });
    await advance(at, id, 'TRANSFER_IN_PROGRESS');
    await at.control.post('/clock/advance', { by: '1m' });
    expect(typesOf(hook)).toEqual(['order.transfer_started', 'order.recorded', 'order.recorded']);
    expect(hook.received.map(isSigned)).toEqual([true, false, false]);
  });

  test('of a retry is added to its scheduled time', async () => {
    const { at } = await withAttempt(500);
    await addFault(at, { webhook: { delay_ms: 1_000 } });
    await at.control.post('/clock/advance', { by: '1m' });
    const { attempts } = await onlyDelivery(at);
    const times = attempts.map((attempt) => attempt.at.slice(14, 19));
    expect(times).toEqual(['00:00', '00:06', '00:37']);
    expect(await hitsOf(at)).toEqual([2]);
  });

  test('survives a restart, and the deletion of its fault', async () => {
    const dataDir = stateFolder();
    const { at, hook } = await shop({ dataDir });
    await addFault(at, { webhook: { delay_ms: 60_000, duplicate: true } });
    await Promise.all([orderFor(at, 0), orderFor(at, 1)]);
    await at.idle();
    await at.control.delete('/faults');
    await at.close();
    const again = await sandbox({ dataDir });
    await again.idle();
    expect(hook.received).toEqual([]);
    await again.control.post('/clock/advance', { by: '1m' });
    expect(hook.received).toHaveLength(4);
  });

  test.each([false, true])('ends with a retry by hand (unregistered: %s)', async (isRemoved) => {
    const { at, hook } = await faulty({ webhook: { delay_ms: 60_000, duplicate: true }, times: 1 });
    if (isRemoved) await at.control.delete('/webhooks', { url: hook.url });
    await register(at, hook.url);
    await at.control.post(`/deliveries/${(await onlyDelivery(at)).delivery_id}/retry`);
    await at.idle();
    // A delivery that has failed with its registration no longer has a fault.
    expect(hook.received).toHaveLength(isRemoved ? 1 : 2);
    expect((await onlyDelivery(at)).status).toBe('delivered');
  });
});

describe('reorder', () => {
  test('lets the next delivery of the partner go first, when they are due together', async () => {
    const { at, hook, order } = await withAttempt();
    await addFault(at, { match: { event: 'order.transfer_started' }, webhook: { reorder: true } });
    await advance(at, order.public_id, 'TRANSFER_COMPLETED');
    await at.idle();
    expect(typesOf(hook)).toEqual([
      'order.recorded',
      'order.transfer_completed',
      'order.transfer_started',
    ]);
    expect(await hitsOf(at)).toEqual([1]);
  });

  test('waits for the next one, when there is none yet', async () => {
    const { at, hook, id } = await faulty({ match: { first: 1 }, webhook: { reorder: true } });
    expect(hook.received).toEqual([]);
    await advance(at, id, 'TRANSFER_IN_PROGRESS');
    await at.idle();
    expect(typesOf(hook)).toEqual(['order.transfer_started', 'order.recorded']);
  });

  test('does not end with a retry of an earlier event', async () => {
    const { at, hook, order } = await withAttempt(500);
    hook.response = 200;
    await addFault(at, { match: { event: 'order.transfer_started' }, webhook: { reorder: true } });
    await advance(at, order.public_id, 'TRANSFER_IN_PROGRESS');
    await at.control.post('/clock/advance', { by: '5s' });
    await advance(at, order.public_id, 'TRANSFER_COMPLETED');
    await at.idle();
    expect(typesOf(hook).slice(2)).toEqual(['order.transfer_completed', 'order.transfer_started']);
  });

  test('waits no longer than a minute', async () => {
    const { at, hook } = await faulty({ webhook: { reorder: true } });
    await at.control.post('/clock/advance', { by: '59s' });
    expect(hook.received).toEqual([]);
    await at.control.post('/clock/advance', { by: '1s' });
    expect(hook.received).toHaveLength(1);
    expect((await onlyDelivery(at)).status).toBe('delivered');
  });

  test('of every webhook swaps them in pairs', async () => {
    const { at, hook } = await shop();
    await addFault(at, { webhook: { reorder: true } });
    const domains = [];
    for (let n = 0; n < 5; n += 1) domains.push((await orderFor(at, n)).domain);
    await at.control.post('/clock/advance', { by: '1m' });
    const came = hook.received.map(
      ({ body }) => (JSON.parse(body) as { data: { order: Order } }).data.order.domain,
    );
    const [a, b, c, d, e] = domains;
    expect(came).toEqual([b, a, d, c, e]);
    expect(await hitsOf(at)).toEqual([3]);
  });

  test('swaps within a partner only', async () => {
    const { at, hook } = await shop();
    const other = await mint(at, { partner: 'other' });
    const elsewhere = await receiver();
    await register(at, elsewhere.url, { key: other });
    await addFault(at, { match: { first: 1 }, webhook: { reorder: true } });
    await orderFor(at, 0);
    await at.idle();
    await orderFor(at, 1, other);
    await at.idle();
    expect([hook.received.length, elsewhere.received.length]).toEqual([0, 1]);
    await orderFor(at, 2);
    await at.idle();
    expect(hook.received).toHaveLength(2);
  });
});

describe('which deliveries:', () => {
  test.each([
    ['every attempt', {}, ['dropped', 'dropped', 'dropped']],
    ['one attempt', { attempt: 2 }, ['status 500', 'dropped', 'ok']],
  ])('by number, %s of it', async (_title, match, expected) => {
    const { at, hook } = await withAttempt(500);
    // Deliveries that begin from here on count.
    await addFault(at, { match: { delivery: 2, ...match }, webhook: { drop: true } });
    hook.response = 200;
    await at.control.post('/clock/advance', { by: '5s' });
    await orderFor(at, 1);
    await at.idle();
    hook.response = 500;
    await orderFor(at, 2);
    await at.idle();
    hook.response = 200;
    await orderFor(at, 3);
    await at.control.post('/clock/advance', { by: '1m' });
    const outcomes = (await deliveriesOf(at)).map(({ attempts }) =>
      attempts.map(({ outcome }) => outcome),
    );
    expect(outcomes).toEqual([['status 500', 'ok'], ['ok'], expected, ['ok']]);
  });

  test('by event', async () => {
    const match = { event: 'order.transfer_started' };
    const { at, hook, id } = await faulty({ match, webhook: { drop: true } });
    await advance(at, id, 'TRANSFER_COMPLETED');
    await at.idle();
    expect(typesOf(hook)).toEqual(['order.recorded', 'order.transfer_completed']);
  });

  test('by the domain of the order or of the case', async () => {
    const { at, hook } = await shop();
    await addFault(at, { match: { domain: 'held-order.test' }, webhook: { drop: true } });
    await addFault(at, { match: { domain: 'wanted.example' }, webhook: { duplicate: true } });
    await orderFor(at, magic('held-order', 250_000));
    await orderFor(at, 0);
    await deal(at, 'wanted.example', 400);
    await at.idle();
    expect(typesOf(hook)).toEqual([
      'order.recorded',
      'brokerage.case_completed',
      'brokerage.case_completed',
    ]);
  });

  test('by count: exactly the nth attempt', async () => {
    const { at, hook, id } = await faulty({ match: { nth: 2 }, webhook: { duplicate: true } });
    await advance(at, id, 'TRANSFER_COMPLETED');
    await at.idle();
    expect(typesOf(hook)).toEqual([
      'order.recorded',
      'order.transfer_started',
      'order.transfer_started',
      'order.transfer_completed',
    ]);
    expect(await hitsOf(at)).toEqual([1]);
  });

  test('by probability: the same in every run, in any order', async () => {
    async function outcomes(isReversed: boolean): Promise<string> {
      const { at, hook } = await shop();
      hook.response = 500;
      await addFault(at, { match: { probability: 0.5 }, webhook: { drop: true } });
      await Promise.all(
        Array.from({ length: 20 }, async (_, n) =>
          requestOrder(at, orderBody(await seededListing(n)), { idempotencyKey: `k${n}` }),
        ),
      );
      await at.idle();
      const deliveries = await deliveriesOf(at);
      for (const { delivery_id } of isReversed ? deliveries.toReversed() : deliveries) {
        await at.control.post(`/deliveries/${delivery_id}/retry`);
        await at.idle();
      }
      expect(hook.received.length).toBe(40 - ((await hitsOf(at))[0] ?? 0));
      const attempts = (await deliveriesOf(at)).flatMap((delivery) => delivery.attempts);
      return attempts.map(({ outcome }) => outcome).join(' ');
    }
    const one = await outcomes(false);
    expect(one).toContain('dropped');
    expect(one).toContain('status 500');
    expect(await outcomes(true)).toBe(one);
  });
});

test('a request fault affects no delivery, and events are recorded even if their webhooks fail', async () => {
  const { at, hook } = await shop();
  await addFault(at, { match: { path: '/events' }, effect: { code: 'conflict' } });
  await addFault(at, { webhook: { drop: true } });
  await orderFor(at);
  await at.idle();
  expect(hook.received).toEqual([]);
  expect(await at.control.get('/events')).toMatchObject({ events: [{ type: 'order.recorded' }] });
  expect(await hitsOf(at)).toEqual([0, 1]);
});

test('no fault is injected into a webhook fired by hand', async () => {
  const { at, hook } = await shop();
  await addFault(at, { webhook: { drop: true } });
  await at.control.post('/webhooks/fire', { type: 'order.settled', url: hook.url, secret: 's' });
  expect(hook.received).toHaveLength(1);
});
