import { describe, expect, test } from 'vitest';
import { eventTypes, magic, orderFor, withOrder } from '../support/orders.ts';
import { deliveriesOf, withReceiver } from '../support/receiver.ts';
import { sandbox, sandboxWithRuntime } from '../support/sandbox.ts';

const START = '2026-03-02T09:00:00.000Z';
const AUTO_COMPLETE = magic('auto-complete', 199_900);

describe('moving the clock until something is so', () => {
  test('is set to the time at which the event was recorded', async () => {
    const { at, public_id: id } = await withOrder(AUTO_COMPLETE);
    const came = at.control.post('/clock/until', { event: 'order.transfer_started', for: id });
    expect(await came).toMatchObject({
      reached: true,
      seen: [expect.stringContaining(`order.transfer_started for ${id}`)],
      clock: { now: '2026-03-02T09:00:01.000Z', frozen: true },
    });
    expect(await eventTypes(at)).toEqual(['order.recorded', 'order.transfer_started']);
  });

  test('is set to the time at which the order reached the state, and runs on from there', async () => {
    const { at, runtime } = await sandboxWithRuntime();
    await at.control.post('/clock/resume');
    const { public_id: id } = await orderFor(at, AUTO_COMPLETE);
    const input = { order: id, state: 'TRANSFER_COMPLETED' };
    expect(await at.control.post('/clock/until', input)).toMatchObject({
      clock: { now: '2026-03-02T09:00:02.000Z', frozen: false },
    });
    runtime.time += 500;
    expect(await at.control.get('/clock')).toMatchObject({ now: '2026-03-02T09:00:02.500Z' });
  });

  test('has done everything that was due before it returns', async () => {
    const { at } = await withReceiver((response, n) =>
      response.writeHead(n === 1 ? 500 : 200).end(),
    );
    const { public_id: id } = await orderFor(at, AUTO_COMPLETE);
    await at.control.post('/clock/until', { order: id, state: 'TRANSFER_COMPLETED' });
    const deliveries = await deliveriesOf(at);
    // The first one failed at 09:00:00 and is tried again at 09:00:05, which was not on the way.
    expect(deliveries.map(({ status, attempts }) => [status, attempts.length])).toEqual([
      ['pending', 1],
      ['delivered', 1],
      ['delivered', 1],
    ]);
  });

  test('what is so already moves nothing', async () => {
    const { at, public_id: id } = await withOrder(AUTO_COMPLETE);
    for (const input of [{ event: 'order.recorded' }, { order: id, state: 'EXTERNALLY_PAID' }]) {
      expect(await at.control.post('/clock/until', input)).toMatchObject({ clock: { now: START } });
    }
  });

  test('a goal that nothing due brings about returns 200 with reached false, and the clock has moved', async () => {
    const { at, public_id: id } = await withOrder(AUTO_COMPLETE);
    const input = { order: id, state: 'SETTLED', within: '63600d' };
    const clock = { now: '2026-03-02T09:00:02.000Z', frozen: true };
    expect(await at.control.post('/clock/until', input)).toEqual({
      reached: false,
      seen: [
        'TRANSFER_COMPLETED at 2026-03-02T09:00:02.000Z',
        'TRANSFER_IN_PROGRESS at 2026-03-02T09:00:01.000Z',
        `EXTERNALLY_PAID at ${START}`,
      ],
      clock: expect.objectContaining(clock),
    });
    expect(await at.control.get('/clock')).toMatchObject(clock);
  });

  test('an event that does not come lists what was seen of the order instead, newest first', async () => {
    const { at, public_id: id } = await withOrder(AUTO_COMPLETE);
    const missed = await at.control.post('/clock/until', { event: 'order.settled', for: id });
    expect(missed).toMatchObject({
      reached: false,
      seen: [
        expect.stringContaining(`order.transfer_completed for ${id}`),
        expect.stringContaining(`order.transfer_started for ${id}`),
        expect.stringContaining(`order.recorded for ${id}`),
      ],
      clock: { now: '2026-03-02T09:00:02.000Z' },
    });
  });

  test('goes no further than within, and does not move when nothing falls due before', async () => {
    const { at, public_id: id } = await withOrder(AUTO_COMPLETE);
    const input = { order: id, state: 'TRANSFER_COMPLETED' };
    expect(await at.control.post('/clock/until', { ...input, within: '999ms' })).toMatchObject({
      reached: false,
      clock: { now: START },
    });
    expect(await at.control.get('/clock')).toMatchObject({ now: START });
    expect(await at.control.post('/clock/until', { ...input, within: '1s' })).toMatchObject({
      reached: false,
      clock: { now: '2026-03-02T09:00:01.000Z' },
    });
    expect(await at.control.get('/clock')).toMatchObject({ now: '2026-03-02T09:00:01.000Z' });
  });

  test('a goal after the latest time returns reached false', async () => {
    const at = await sandbox();
    await at.control.post('/clock/set', { to: '2199-12-31T23:59:59Z' });
    const { public_id: order } = await orderFor(at, AUTO_COMPLETE);
    const missed = await at.control.post('/clock/until', { order, state: 'TRANSFER_COMPLETED' });
    expect(missed).toMatchObject({ reached: false, clock: { now: '2200-01-01T00:00:00.000Z' } });
  });

  test.each<[string, object]>([
    ['of nothing', {}],
    ['of an event and an order', { event: 'order.settled', order: 'ord_1', state: 'SETTLED' }],
    ['of an order without a state', { order: 'ord_1' }],
    ['of a state without an order', { state: 'SETTLED' }],
    ['of an unknown event', { event: 'order.exploded' }],
    ['within no duration', { event: 'order.settled', within: 'soon' }],
  ])('an input %s is rejected and moves nothing', async (_what, body) => {
    const { at } = await withOrder(AUTO_COMPLETE);
    await expect(at.control.post('/clock/until', body)).rejects.toMatchObject({
      code: 'validation_error',
    });
    expect(await at.control.get('/clock')).toMatchObject({ now: START });
  });

  test('an order that is not there is not found', async () => {
    const at = await sandbox();
    await expect(
      at.control.post('/clock/until', { order: 'ord_none', state: 'SETTLED' }),
    ).rejects.toMatchObject({ code: 'not_found', message: 'order: order ord_none not found' });
  });
});
