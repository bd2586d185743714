import { expect, test } from 'vitest';
import { orderFor } from '../support/orders.ts';
import { sandbox } from '../support/sandbox.ts';

test.each(['hold', 'refund', 'start_transfer'])(
  'a rejected %s of a completed order names the settlement run instead of a move that no operator can make',
  async (action) => {
    const at = await sandbox();
    const { public_id } = await orderFor(at);
    await at.control.post(`/orders/${public_id}/advance`, { to: 'TRANSFER_COMPLETED' });
    const before = await at.control.get(`/orders/${public_id}`);
    const rejected = at.control.post(`/orders/${public_id}/advance`, { action });
    await expect(rejected).rejects.toMatchObject({ status: 409, code: 'conflict' });
    await expect(rejected).rejects.toThrow('sandlot settlements run');
    await expect(rejected).rejects.not.toThrow('settle (to SETTLED)');
    expect(await at.control.get(`/orders/${public_id}`)).toEqual(before);
  },
);

test('a rejected move lists the moves that an operator can make', async () => {
  const at = await sandbox();
  const { public_id } = await orderFor(at);
  const rejected = at.control.post(`/orders/${public_id}/advance`, { action: 'clear' });
  await expect(rejected).rejects.toThrow(
    'open moves: hold (to MANUAL_REVIEW), start_transfer (to TRANSFER_IN_PROGRESS), refund (to REFUNDED), cancel (to CANCELLED)',
  );
});
