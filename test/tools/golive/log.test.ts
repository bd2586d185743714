import { describe, expect, test } from 'vitest';
import { systemRuntime } from '../../../src/kernel/runtime.ts';
import { mint, mintIn } from '../../support/orders.ts';
import { receiver, register, withReceiver } from '../../support/receiver.ts';
import { sandbox, sandboxOnDisk } from '../../support/sandbox.ts';
import { get, HELD, item, order, reportOf } from './observed.ts';

const CALL = 'call.getOrders';
const FROZEN_AT = '2030-01-01T00:00:00.000Z';

/** The clocks of another process: its monotonic clock has begun at another time. */
const ANOTHER_PROCESS = { ...systemRuntime, monotonic: () => systemRuntime.monotonic() + 60_000 };

describe('the report covers', () => {
  test('what the log holds, and says how many requests were dropped', async () => {
    const at = await sandbox({ requestLog: 2 });
    await get(at, '/orders', { count: 5 });
    const { count, evidence } = await item(at, CALL);
    expect(count).toBe(2);
    for (const { href } of evidence) expect((await at.fetch(href ?? '')).status).toBe(200);
    expect(await reportOf(at)).toMatchObject({ requests: 2, dropped: 3 });
    const page = await at.fetch('/_sandbox/dashboard/go-live');
    expect(await page.text()).toMatch(/3 older ones are not in .*<\/time> sandbox time/s);
    await at.control.delete('/requests');
    expect(await reportOf(at)).toMatchObject({ requests: 0, dropped: 0 });
  });

  test('requests and webhooks from before a restore and a reset, which are boundaries', async () => {
    const { at } = await withReceiver(200, { frozenAt: FROZEN_AT });
    await order(at, HELD, 'key');
    await at.idle();
    await get(at, '/orders', { count: 4 });
    await at.control.post('/snapshots', { name: 'before' });
    await at.control.post('/snapshots/before/restore');
    await get(at, '/orders', { count: 16 });
    await at.control.post('/reset');
    await get(at, '/orders', { count: 4 });
    const { count, evidence } = await item(at, CALL);
    expect(count).toBe(24);
    expect(evidence.map(({ href }) => href !== null)).toEqual([false, true, true, true, true]);
    const event = await item(at, 'event.order.recorded');
    expect(event).toMatchObject({ status: 'met', count: 1 });
    for (const { at: time } of [...evidence, ...event.evidence]) expect(time).toBe(FROZEN_AT);
    expect(await item(at, 'request.fresh_nonce')).toMatchObject({ status: 'unmet' });
  });

  test('requests and webhooks of deleted worlds, until the log is cleared', async () => {
    const at = await sandbox();
    await get(at, '/orders');
    const key = await mintIn(at, 'w1');
    await register(at, (await receiver()).url, { key });
    await order(at, HELD, 'key', key);
    await at.idle();
    await get(at, '/orders', { key, count: 2 });
    await at.control.delete('/worlds/w1');
    const { worlds, requests, attempts } = await reportOf(at);
    expect([worlds, requests, attempts]).toEqual([['default', 'w1'], 4, 1]);
    const { count, evidence } = await item(at, CALL);
    expect(count).toBe(3);
    expect(evidence.map(({ world, href }) => [world, href !== null])).toEqual([
      ['default', true],
      ['w1', false],
      ['w1', false],
    ]);
    await at.control.delete('/requests');
    expect(await reportOf(at)).toMatchObject({ worlds: [], requests: 0, attempts: 0 });
  });

  test('worlds of one name with the same ids, which are unrelated', async () => {
    const at = await sandbox();
    for (const status of [200, 500]) {
      await at.control.post('/worlds', { name: 'w1', same_ids: true });
      // Keeps the requests of w1, but not those that deleted it.
      await at.control.delete('/requests');
      const key = await mint(at, { world: 'w1' });
      await register(at, (await receiver(status)).url, { key });
      await order(at, HELD, 'key', key);
      await at.idle();
      await at.control.delete('/worlds/w1');
    }
    expect(await item(at, 'hook.duplicate')).toMatchObject({ status: 'unmet' });
  });

  test('requests and webhooks from before a restart, which is a boundary', async () => {
    const { dataDir, at: first } = await sandboxOnDisk();
    await register(first, (await receiver()).url);
    await order(first, HELD, 'key');
    await first.idle();
    await get(first, '/orders', { count: 15 });
    await first.close();
    const second = await sandbox({ dataDir, runtime: ANOTHER_PROCESS });
    expect(await item(second, CALL)).toMatchObject({ count: 15 });
    expect(await item(second, 'event.order.recorded')).toMatchObject({ status: 'met' });
    await get(second, '/orders', { count: 6 });
    expect(await item(second, CALL)).toMatchObject({ count: 21 });
    expect(await item(second, 'request.fresh_nonce')).toMatchObject({ status: 'unmet' });
  });
});
