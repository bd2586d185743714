import { describe, expect, test } from 'vitest';
import { got, send } from '../support/calls.ts';
import { settle } from '../support/money.ts';
import {
  allEvents,
  eventTypes,
  magic,
  orderBody,
  orderFor,
  readOrder,
  requestOrder,
  withOrder,
} from '../support/orders.ts';
import { answered, invalid, rejection } from '../support/responses.ts';
import { sandbox, sandboxWithRuntime } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';
import { sharedWatched, watched } from '../support/unchanged.ts';

interface Refund {
  refund_id: string;
  public_id: string;
  status: string;
  amount_cents: number;
  currency: string;
  created_at: string;
}

describe('a refund', () => {
  test('returns 201 with exactly the documented fields', async () => {
    const { at, ...order } = await withOrder();
    await at.control.post('/clock/advance', { by: '1h' });
    const body = { public_id: order.public_id, reason: 'buyer changed their mind' };
    expect(await answered<Refund>(await send(at, '/refunds', body), 201)).toStrictEqual({
      refund_id: expect.stringMatching(/^ref_[0-9a-z]+$/),
      public_id: order.public_id,
      status: 'REFUNDED',
      amount_cents: order.sale_price_cents,
      currency: 'USD',
      created_at: '2026-03-02T10:00:00.000Z',
    });
  });

  test('moves the order, notes its reason in the timeline and relists the domain', async () => {
    const at = await sandbox();
    const sold = await seededListing();
    const { public_id } = await orderFor(at, sold);
    expect(await got(at, `/availability?domain=${sold.domain}`)).toMatchObject({
      available: false,
    });
    await answered(await send(at, '/refunds', { public_id, reason: 'regret' }), 201);
    expect(await readOrder(at, public_id)).toMatchObject({
      status: 'REFUNDED',
      transfer_status: 'cancelled',
      timeline: [
        { status: 'EXTERNALLY_PAID' },
        { status: 'REFUNDED', event: 'order.refunded', note: 'regret' },
      ],
    });
    expect(await got(at, `/availability?domain=${sold.domain}`)).toMatchObject({
      available: true,
      price_cents: sold.price_cents,
    });
    expect((await requestOrder(at, orderBody(sold))).status).toBe(201);
  });

  test('does not relist a domain that was sold again since', async () => {
    const at = await sandbox();
    const sold = await seededListing();
    const { domain, price_cents } = sold;
    const { public_id } = await orderFor(at, sold);
    await at.control.delete(`/inventory/${domain}`);
    await at.control.post('/inventory', { domain, price_cents });
    await orderFor(at, sold);
    await answered(await send(at, '/refunds', { public_id }), 201);
    expect(await got(at, `/availability?domain=${domain}`)).toMatchObject({ available: false });
  });

  test.each([
    ['EXTERNALLY_PAID', undefined],
    ['MANUAL_REVIEW', 'MANUAL_REVIEW'],
    ['TRANSFER_IN_PROGRESS', 'TRANSFER_IN_PROGRESS'],
  ])('is possible from %s and emits order.refunded once', async (_state, to) => {
    const { at, public_id } = await withOrder();
    if (to !== undefined) await at.control.post(`/orders/${public_id}/advance`, { to });
    await answered(await send(at, '/refunds', { public_id }), 201);
    const events = await allEvents(at, public_id);
    expect(events.filter(({ type }) => type === 'order.refunded')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({
      type: 'order.refunded',
      data: { order: { public_id, status: 'REFUNDED' } },
    });
  });

  test.each(['TRANSFER_COMPLETED', 'SETTLED', 'REFUNDED', 'CANCELLED'])(
    'of an order that is %s is a conflict and changes nothing',
    async (state) => {
      const { at, rejected } = await watched();
      const { public_id } = await orderFor(at);
      const to = state === 'SETTLED' ? 'TRANSFER_COMPLETED' : state;
      await at.control.post(`/orders/${public_id}/advance`, { to });
      if (state === 'SETTLED') await settle(at);
      expect(await rejected(() => send(at, '/refunds', { public_id }))).toMatchObject({
        status: 409,
        code: 'conflict',
        message: `public_id: order ${public_id} is ${state}; only an order before TRANSFER_COMPLETED can be refunded`,
      });
    },
  );

  test('asked for ten times at once happens once', async () => {
    const { at, public_id } = await withOrder();
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => send(at, '/refunds', { public_id })),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 201)) {
      expect(await rejection(response)).toMatchObject({ code: 'conflict' });
    }
    expect(await eventTypes(at, public_id)).toEqual(['order.recorded', 'order.refunded']);
  });
});

describe('the body', async () => {
  const { at: shared, rejected } = await sharedWatched();
  const { public_id } = await orderFor(shared);

  test.each([
    ['public_id', {}],
    ['public_id', { public_id: '' }],
    ['public_id', { public_id: 'o'.repeat(101) }],
    ['reason', { reason: '' }],
    ['reason', { reason: 'x'.repeat(501) }],
  ])('with an invalid %s is rejected and changes nothing: %j', async (field, wrong) => {
    const body = field === 'public_id' ? wrong : { public_id, ...wrong };
    expect(await rejected(() => send(shared, '/refunds', body))).toMatchObject(invalid(field));
  });

  test.each([{ reason: null }, { reason: 'x'.repeat(500) }, { amount_cents: 1, surprise: true }])(
    'may hold %j',
    async (more) => {
      const { at, public_id, sale_price_cents } = await withOrder();
      const response = await send(at, '/refunds', { public_id, ...more });
      const refund = await answered<Refund>(response, 201);
      expect(refund.amount_cents).toBe(sale_price_cents);
    },
  );
});

test('what a magic domain does to calls that name it, it does not do to a refund by id', async () => {
  const { at, runtime } = await sandboxWithRuntime();
  const { public_id } = await orderFor(at, magic('slow', 129_900));
  expect(runtime.elapsed).toEqual([3_000]);
  await answered(await send(at, '/refunds', { public_id }), 201);
  expect(runtime.elapsed).toEqual([3_000]);
  for (const domain of ['rate-limited.test', 'server-error.test']) {
    // Named all the same, in a member that the endpoint does not know.
    const response = await send(at, '/refunds', { public_id: 'ord_none', domain });
    expect([429, 500]).toContain(response.status);
  }
});
