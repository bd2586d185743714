import { describe, expect, test } from 'vitest';
import { addFault, type Fault, faultsOf } from '../support/faults.ts';
import { mint } from '../support/orders.ts';
import { sandbox } from '../support/sandbox.ts';
import { sharedWatched } from '../support/unchanged.ts';

const ONCE = { match: { method: 'POST', path: '/orders' }, effect: { code: 'internal_error' } };

describe('a fault', () => {
  test('is returned in full, with the status of its code, and can be read again', async () => {
    const at = await sandbox();
    const made = await addFault(at, { ...ONCE, times: 2 });
    expect(made).toEqual({
      fault_id: expect.stringMatching(/^flt_0000001/),
      match: {
        method: 'POST',
        path: '/orders',
        domain: null,
        key_id: null,
        event: null,
        attempt: null,
        delivery: null,
        first: null,
        nth: null,
        every: null,
        probability: null,
      },
      effect: {
        status: 500,
        code: 'internal_error',
        delay_ms: null,
        delay: null,
        drop: null,
        gateway: null,
        gateway_when: null,
        truncate: null,
      },
      webhook: null,
      times: 2,
      hits: 0,
      created_at: '2026-03-02T09:00:00.000Z',
    });
    expect(await faultsOf(at)).toEqual([made]);
  });

  test('of webhooks has no effect on requests', async () => {
    const at = await sandbox();
    const made = await addFault(at, {
      match: { event: 'order.recorded', domain: 'Held-Order.test.' },
      webhook: { duplicate: true },
    });
    expect(made.match).toMatchObject({ event: 'order.recorded', domain: 'held-order.test' });
    expect(made.effect).toBeNull();
    expect(made.webhook).toEqual({
      delay_ms: null,
      duplicate: true,
      reorder: false,
      drop: false,
      corrupt_signature: false,
      discard_response: false,
    });
    expect((await at.call({ method: 'GET', target: '/api/partner/v1/orders' })).status).toBe(200);
  });

  test.each([
    [400, 'validation_error'],
    [401, 'invalid_signature'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [409, 'conflict'],
    [413, 'validation_error'],
    [422, 'price_mismatch'],
    [429, 'rate_limited'],
    [500, 'internal_error'],
  ])('with only the status %i injects %s', async (status, code) => {
    const made = await addFault(await sandbox(), { effect: { status } });
    expect(made.effect).toMatchObject({ status, code });
  });

  test.each([
    [{ delay_ms: 5 }, 'before'],
    [{ delay_ms: 5, delay: 'before' }, 'before'],
    [{ delay_ms: 5, delay: 'after' }, 'after'],
  ])('with %j delays %s the commit', async (effect, delay) => {
    const made = await addFault(await sandbox(), { effect });
    expect(made.effect).toMatchObject({ delay_ms: 5, delay });
  });

  test('keeps a code that shares its status with others', async () => {
    const made = await addFault(await sandbox(), {
      effect: { status: 422, code: 'quote_expired' },
    });
    expect(made.effect).toMatchObject({ status: 422, code: 'quote_expired' });
  });
});

test('faults are listed in the order in which they are matched, and deleted one by one or all', async () => {
  const at = await sandbox();
  const made: Fault[] = [];
  for (const first of [1, 2, 3]) made.push(await addFault(at, { ...ONCE, match: { first } }));
  expect(await faultsOf(at)).toEqual(made);
  expect(await at.control.delete(`/faults/${made[1]?.fault_id}`)).toEqual(made[1]);
  expect(await faultsOf(at)).toEqual([made[0], made[2]]);
  expect(await at.control.delete('/faults')).toEqual({ cleared: 2 });
  expect(await at.control.delete('/faults')).toEqual({ cleared: 0 });
  expect(await faultsOf(at)).toEqual([]);
  // A new one does not take the id of one that is gone.
  expect((await addFault(at, ONCE)).fault_id).toMatch(/^flt_0000004/);
});

describe('is rejected, and changes nothing,', async () => {
  const { at, controlRejected } = await sharedWatched();

  const status = 500;

  test.each<[input: object, message: string]>([
    [{}, 'effect: needs at least one of `status`, `code`'],
    [{ effect: {} }, 'effect: needs at least one of `status`, `code`'],
    [{ effect: 'conflict' }, 'effect: must be an object'],
    [{ effect: { status: 200 } }, 'effect.status: must be at least 400'],
    [{ effect: { status, code: 'conflict' } }, 'effect.status: conflict has the status 409'],
    [
      { effect: { drop: 'after', code: 'conflict' } },
      'effect.drop: cannot be combined with `code`',
    ],
    [{ effect: { delay_ms: 600_001 } }, 'effect.delay_ms: must be at most'],
    [{ match: { path: '/setlements' }, effect: { status } }, 'match.path: no endpoint matches'],
    [{ match: { path: '/order/*' }, effect: { status } }, 'match.path: no endpoint matches'],
    [{ match: { path: '/orders/' }, effect: { status } }, 'match.path: no endpoint matches'],
    [{ match: { method: 'PUT', path: '/orders' }, effect: { status } }, 'use POST or GET'],
    [{ match: { method: 'DELETE' }, effect: { status } }, 'match.method: must be one of GET'],
    [{ match: { domain: 'x' }, effect: { status } }, 'match.domain: must be a'],
    [{ match: { probability: 0 }, effect: { status } }, 'match.probability'],
    [{ match: { first: 0 }, effect: { status } }, 'match.first: must be at least'],
    [{ match: { nth: 3, first: 2 }, effect: { status } }, 'match.nth: cannot be combined with'],
    [{ match: { metod: 'GET' }, effect: { status } }, 'match: unknown field "metod"'],
    [{ effect: { status }, times: 0 }, 'times: must be at least 1'],
    [{ ...ONCE, hits: 3 }, 'body: unknown field "hits"; use match, effect, webhook, times'],
    [{ webhook: { drop: false } }, 'webhook: needs at least one of `delay'],
    [{ match: { path: '/orders' }, webhook: { drop: true } }, 'match.path: is for faults of'],
    [{ webhook: { drop: true, duplicate: true } }, 'webhook.drop: cannot be combined with'],
    [{ webhook: { reorder: true, delay_ms: 5 } }, 'webhook.reorder: cannot be combined with'],
  ])('%j: %s', async (input, message) => {
    const rejected = await controlRejected(() => addFault(at, input));
    expect(rejected.status).toBe(400);
    expect(rejected.message).toContain(message);
  });

  test('when it is deleted and does not exist', async () => {
    expect((await controlRejected(() => at.control.delete('/faults/flt_none'))).message).toBe(
      'fault_id: fault flt_none not found in world default',
    );
  });
});

describe('faults belong to their world:', () => {
  test('a reset drops them, a restored snapshot brings them back, counters and all', async () => {
    const at = await sandbox();
    const hit = () => at.call({ method: 'GET', target: '/api/partner/v1/orders' });
    await addFault(at, { match: { path: '/orders' }, effect: { status: 500 }, times: 3 });
    await hit();
    await at.control.post('/snapshots', { name: 's' });
    const then = await faultsOf(at);
    expect(then).toMatchObject([{ hits: 1 }]);
    await hit();
    await hit();
    expect((await hit()).status).toBe(200);
    await at.control.post('/snapshots/s/restore');
    expect(await faultsOf(at)).toEqual(then);
    expect((await hit()).status).toBe(500);
    await at.reset();
    expect(await faultsOf(at)).toEqual([]);
    expect((await hit()).status).toBe(200);
  });

  test('a fork copies those of its source, and each counts its own', async () => {
    const at = await sandbox();
    await addFault(at, { match: { path: '/orders' }, effect: { status: 500 }, times: 2 });
    await at.call({ method: 'GET', target: '/api/partner/v1/orders' });
    await at.control.post('/worlds', { name: 'w1', fork: 'default' });
    const key = await mint(at, { world: 'w1' });
    const there = { control: at.control.in('w1') };
    expect(await faultsOf(there)).toEqual(await faultsOf(at));
    await at.call({ method: 'GET', target: '/api/partner/v1/orders' }, key);
    expect(await faultsOf(there)).toMatchObject([{ hits: 2 }]);
    expect(await faultsOf(at)).toMatchObject([{ hits: 1 }]);
    await there.control.delete('/faults');
    expect(await faultsOf(at)).toHaveLength(1);
  });
});

test('no fault is injected into the control API and the hosted pages', async () => {
  const at = await sandbox();
  await addFault(at, { effect: { drop: 'before' } });
  expect(await at.control.get('/health')).toEqual({ status: 'ok' });
  expect((await at.fetch('/checkout?pt=none')).status).toBe(400);
});
