import { expect, test } from 'vitest';
import { ask, send } from '../support/calls.ts';
import { addFault, faultsOf } from '../support/faults.ts';
import { eventTypes, magic, mint, orderFor } from '../support/orders.ts';
import { rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';

const HOUR = 3_600;
const CODES = ['conflict', 'forbidden', 'not_found', 'internal_error'];

test('four workers share one server, each in a world of its own, and none sees another', async () => {
  const at = await sandbox({ frozenAt: '2026-01-05T09:00:00Z' });

  /** Is rejected n times by its own fault, sells and refunds, and moves its clock by n hours. */
  const work = async (code: string, index: number) => {
    const world = `w${index + 1}`;
    await at.control.post('/worlds', { name: world, fork: 'default' });
    const key = await mint(at, { partner: 'local', world });
    const control = at.control.in(world);
    const fault = { match: { path: '/orders' }, effect: { code }, times: index + 1 };
    const { fault_id } = await addFault({ control }, fault);
    for (let n = 0; n <= index; n += 1)
      expect(await rejection(await ask(at, '/orders', key))).toMatchObject({ code });
    const { public_id } = await orderFor(at, magic('auto-complete', 199_900), key);
    await control.post('/clock/advance', { by: '1s' });
    expect((await send(at, '/refunds', { public_id }, key)).status).toBe(201);
    await control.post('/clock/advance', { by: `${(index + 1) * HOUR - 1}s` });
    expect(await control.get('/orders')).toMatchObject({ orders: [{ public_id }] });
    expect(await eventTypes({ ...at, control })).toEqual([
      'order.recorded',
      'order.transfer_started',
      'order.refunded',
    ]);
    expect(await faultsOf({ control })).toMatchObject([{ fault_id, hits: index + 1 }]);
    const hour = String(10 + index).padStart(2, '0');
    expect(await control.get('/clock')).toMatchObject({ now: `2026-01-05T${hour}:00:00.000Z` });
    return [fault_id, key.key_id, public_id];
  };

  const ids = (await Promise.all(CODES.map(work))).flat();
  // No id is issued in two worlds, not for the same calls in forks of one world either.
  expect(new Set(ids).size).toBe(12);
  expect(await at.control.get('/orders')).toMatchObject({ orders: [] });
  expect(await at.control.get('/faults')).toMatchObject({ faults: [] });
  expect(await at.control.get('/clock')).toMatchObject({ now: '2026-01-05T09:00:00.000Z' });
});
