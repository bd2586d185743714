import { expect, test } from 'vitest';
import { withOrder } from '../support/orders.ts';

test.each([{ action: 'hold' }, { action: 'refund' }, { action: 'start_transfer' }, {}])(
  'a rejected move %j of a completed order names the settlement run instead of a move that no operator can make',
  async (move) => {
    const { at, public_id } = await withOrder();
    await at.control.post(`/orders/${public_id}/advance`, { to: 'TRANSFER_COMPLETED' });
    const before = await at.control.get(`/orders/${public_id}`);
    const rejected = at.control.post(`/orders/${public_id}/advance`, move);
    await expect(rejected).rejects.toMatchObject({ status: 409, code: 'conflict' });
    await expect(rejected).rejects.toThrow('sandlot settlements run');
    await expect(rejected).rejects.not.toThrow('settle (to SETTLED)');
    expect(await at.control.get(`/orders/${public_id}`)).toEqual(before);
  },
);

test.each([
  ['REFUNDED', 'SETTLED', /^REFUNDED is final$/],
  ['TRANSFER_COMPLETED', 'REFUNDED', /^no sequence of moves leads from TRANSFER_COMPLETED to REF/],
  ['TRANSFER_IN_PROGRESS', 'TRANSFER_IN_PROGRESS', /^the order is TRANSFER_IN_PROGRESS$/],
  ['TRANSFER_IN_PROGRESS', 'REFUNDED', /^the order is .*; the nearest route is refund$/],
  ['TRANSFER_IN_PROGRESS', 'SETTLED', /complete_transfer, then settle; orders settle in a /],
])('why-not of an order in %s to %s: %s', async (from, to, reason) => {
  const { at, public_id } = await withOrder();
  await at.control.post(`/orders/${public_id}/advance`, { to: from });
  expect(await at.control.get(`/orders/${public_id}/why-not`, { to })).toMatchObject({
    reason: expect.stringMatching(reason),
  });
});

test('a rejected move lists the moves that an operator can make', async () => {
  const { at, public_id } = await withOrder();
  const rejected = at.control.post(`/orders/${public_id}/advance`, { action: 'clear' });
  await expect(rejected).rejects.toThrow(
    'open moves: hold (to MANUAL_REVIEW), start_transfer (to TRANSFER_IN_PROGRESS), refund (to REFUNDED), cancel (to CANCELLED)',
  );
});
