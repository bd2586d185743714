import { describe, expect, test } from 'vitest';
import type { InProcessSandbox, Key } from '../../src/index.ts';
import { ask, got } from '../support/calls.ts';
import { type EventSeen, magic, mint, orderFor, withOrder } from '../support/orders.ts';
import { invalid, rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';

const RESOLD = magic('held-order', 250_000);

interface Page {
  events: EventSeen[];
  next_cursor: string | null;
}

function page(at: InProcessSandbox, query = '', key?: Key): Promise<Page> {
  return got<Page>(at, `/events${query && `?${query}`}`, key);
}

const ids = ({ events }: Page) => events.map((event) => event.id);

async function withEvents(count: number): Promise<{ at: InProcessSandbox; oldestFirst: string[] }> {
  const at = await sandbox({ rateLimits: false });
  for (let n = 0; n < count; n += 1) await orderFor(at, RESOLD);
  return { at, oldestFirst: ids(await page(at, 'limit=100')) };
}

test('it lists what happened, oldest first, with or without a registered URL', async () => {
  const { at, ...order } = await withOrder();
  await at.control.post('/clock/advance', { by: '1h' });
  await at.control.post(`/orders/${order.public_id}/advance`, { action: 'refund' });
  const { public_id, domain, sale_price_cents, currency } = order;
  const data = (status: string) => ({
    order: { public_id, domain, status, sale_price_cents, currency },
  });
  const seen = await page(at);
  expect(seen).toEqual({
    events: [
      {
        id: expect.stringMatching(/^evt_[0-9a-z]{16}$/),
        type: 'order.recorded',
        created_at: '2026-03-02T09:00:00.000Z',
        data: data('EXTERNALLY_PAID'),
      },
      {
        id: expect.stringMatching(/^evt_[0-9a-z]{16}$/),
        type: 'order.refunded',
        created_at: '2026-03-02T10:00:00.000Z',
        data: data('REFUNDED'),
      },
    ],
    next_cursor: null,
  });
  expect(ids(seen).toSorted()).toEqual(ids(seen));
});

test('it stays as it was when the order moves on', async () => {
  const { at, public_id } = await withOrder();
  const [first] = (await page(at)).events;
  await at.control.post(`/orders/${public_id}/advance`, { to: 'TRANSFER_COMPLETED' });
  expect((await page(at)).events[0]).toEqual(first);
});

describe('pages', () => {
  test('have 50 events by default', async () => {
    const { at, oldestFirst } = await withEvents(51);
    const first = await page(at);
    expect(ids(first)).toEqual(oldestFirst.slice(0, 50));
    expect(first.next_cursor).toBe(oldestFirst[49]);
    const second = await page(at, `after_id=${first.next_cursor}`);
    expect(ids(second)).toEqual(oldestFirst.slice(50));
    expect(second.next_cursor).toBeNull();
  });

  test('of any size lead through the whole history', async () => {
    const { at, oldestFirst } = await withEvents(13);
    for (const limit of [1, 3, 12, 13, 14, 100]) {
      const seen: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const next = await page(at, `limit=${limit}${cursor && `&after_id=${cursor}`}`);
        expect(next.next_cursor).toBe(seen.length + limit < 13 ? ids(next).at(-1) : null);
        seen.push(...ids(next));
        cursor = next.next_cursor;
      }
      expect(seen).toEqual(oldestFirst);
    }
  });

  test('catch a client up after downtime, from the last id that it has seen', async () => {
    const { at, oldestFirst } = await withEvents(3);
    const last = oldestFirst.at(-1);
    expect(await page(at, `after_id=${last}`)).toEqual({ events: [], next_cursor: null });
    await orderFor(at, RESOLD);
    const missed = await page(at, `after_id=${last}`);
    expect(missed.events).toHaveLength(1);
    expect(oldestFirst).not.toContain(missed.events[0]?.id);
  });
});

describe('after_id', () => {
  test.each(['', 'evt_', 'evt_0000001aaaaaaaaa', 'x', '%00', "' OR 1=1"])(
    'may not be %j',
    async (id) => {
      const { at } = await withEvents(1);
      const response = await ask(at, `/events?after_id=${encodeURIComponent(id)}`);
      expect(await rejection(response)).toMatchObject(invalid('after_id'));
    },
  );

  test('may not be an id of something else', async () => {
    const { at, public_id } = await withOrder();
    expect((await ask(at, `/events?after_id=${public_id}`)).status).toBe(400);
  });
});

test('every credential of the partner reads the same history', async () => {
  const { at, oldestFirst } = await withEvents(2);
  const sibling = await mint(at, { partner: 'local', scopes: ['webhook'] });
  expect(ids(await page(at, '', sibling))).toEqual(oldestFirst);
});
