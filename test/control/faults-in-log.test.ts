import { expect, test } from 'vitest';
import type { RequestDetail } from '../../src/requests/logged-request.ts';
import { ask } from '../support/calls.ts';
import { addFault } from '../support/faults.ts';
import { orderBody, requestOrder } from '../support/orders.ts';
import { newestLogged } from '../support/request-log.ts';
import { testRuntime } from '../support/runtime.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';

const results = ({ trace }: RequestDetail) =>
  trace
    .slice(trace.findIndex(({ check }) => check === 'rate_limit') + 1)
    .map(({ check, result }) => `${check} ${result}`);

test('an injected error is the last check, and the one that failed', async () => {
  const at = await sandbox();
  const { fault_id } = await addFault(at, { effect: { code: 'rate_limited' } });
  await ask(at, '/orders');
  const shown = await newestLogged(at);
  expect(shown).toMatchObject({ status: 429, code: 'rate_limited' });
  expect(results(shown)).toEqual(['fault failed']);
  expect(shown.trace.at(-1)?.detail).toMatchObject({ fault_id, status: 429, code: 'rate_limited' });
});

test('a fault that lets the request act is traced between rate limit and idempotency', async () => {
  const at = await sandbox({ runtime: testRuntime() });
  const { fault_id } = await addFault(at, { effect: { delay_ms: 5, drop: 'after' } });
  await expect(requestOrder(at, orderBody(await seededListing(0)))).rejects.toThrow();
  const shown = await newestLogged(at);
  expect(shown).toMatchObject({ status: null, code: null });
  expect(results(shown).slice(0, 4)).toEqual([
    'fault passed',
    'idempotency passed',
    'validation passed',
    'rules passed',
  ]);
  expect(results(shown)).toContain('event done');
  expect(shown.trace.find(({ check }) => check === 'fault')?.detail).toEqual({
    fault_id,
    delay_ms: 5,
    delay: 'before',
    drop: 'after',
  });
});

test('an error that a fault keeps from the client is traced all the same', async () => {
  const at = await sandbox();
  await addFault(at, { effect: { drop: 'after' } });
  await expect(ask(at, '/pricing?domain=nobody-lists-this.com')).rejects.toThrow();
  const shown = await newestLogged(at);
  expect(results(shown)).toEqual(['fault passed', 'validation passed', 'rules failed']);
  expect(shown.trace.at(-1)?.detail).toMatchObject({ code: 'not_found' });
});

test('of a fault and a magic domain, the one that rejects the request comes last and has failed', async () => {
  const at = await sandbox({ runtime: testRuntime() });
  await addFault(at, { match: { domain: 'slow.test' }, effect: { code: 'conflict' } });
  await addFault(at, { match: { domain: 'server-error.test' }, effect: { delay_ms: 5 } });
  await ask(at, '/domains/slow.test');
  expect(results(await newestLogged(at))).toEqual(['magic_domain passed', 'fault failed']);
  await ask(at, '/domains/server-error.test');
  expect(results(await newestLogged(at))).toEqual(['fault passed', 'magic_domain failed']);
});

test('a request that triggers no fault has no fault in its trace', async () => {
  const at = await sandbox();
  await addFault(at, { match: { every: 2 }, effect: { code: 'conflict' } });
  await ask(at, '/orders');
  expect(results(await newestLogged(at))).toEqual(['validation passed', 'rules passed']);
});
