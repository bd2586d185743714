import { expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { listen } from '../support/change-stream.ts';
import { manualTimers } from '../support/manual-timers.ts';
import { mint, orderFor } from '../support/orders.ts';
import { receiver, register } from '../support/receiver.ts';
import { sandbox } from '../support/sandbox.ts';

const BURST_MS = 50;
const CHECK_EVERY_MS = 1_000;

const PRICED = { domain: 'new-here.com', price_cents: 100 };
const QUOTED = { domain: 'held-order.test' };

const CHANGES: Record<string, (at: InProcessSandbox) => Promise<unknown>> = {
  'a partner API call': (at) =>
    at.call({ method: 'POST', target: '/api/partner/v1/quotes', body: QUOTED }),
  'an advanced clock': (at) => at.control.post('/clock/advance', { by: '1m' }),
  'a fault': (at) => at.control.post('/faults', { effect: { delay_ms: 1 } }),
  'a credential': (at) => mint(at, { partner: 'Corner Shop' }),
  'a listing': (at) => at.control.post('/inventory', PRICED),
  'another price': (at) => at.control.patch('/inventory/held-order.test', { price_cents: 123 }),
  'another world': (at) => at.control.post('/worlds', { name: 'w3' }),
  'a snapshot': (at) => at.control.post('/snapshots', { name: 'here' }),
};

test.each(Object.entries(CHANGES))('%s is a change', async (_, change) => {
  const at = await sandbox();
  const next = await listen(at);
  await change(at);
  expect(await next()).toEqual({ event: 'change', data: '{"reset":false}' });
});

test('an attempt of a delivery is a change', async () => {
  const at = await sandbox();
  const responses: (() => void)[] = [];
  const hook = await receiver((response) => {
    responses.push(() => response.writeHead(200).end());
  });
  await register(at, hook.url);
  await orderFor(at, 0);
  await hook.came(1);
  const next = await listen(at);
  responses[0]?.();
  expect((await next())?.event).toBe('change');
});

test.each(['/reset', '/snapshots/here/restore'])('POST %s is a reset', async (path) => {
  const at = await sandbox();
  await at.control.post('/snapshots', { name: 'here' });
  const next = await listen(at);
  await at.control.post(path, {});
  let event = await next();
  while (event?.data === '{"reset":false}') event = await next();
  expect(event).toEqual({ event: 'change', data: '{"reset":true}' });
});

test('changes and requests of another world are not included', async () => {
  const runtime = manualTimers();
  const at = await sandbox({ runtime });
  await at.control.post('/worlds', { name: 'w2' });
  const key = await mint(at, { world: 'w2' });
  const next = await listen(at, 'w2');
  await orderFor(at, 0);
  runtime.ring(BURST_MS);
  runtime.ring(CHECK_EVERY_MS);
  let isChanged = false;
  const change = next().then(() => {
    isChanged = true;
  });
  await new Promise(setImmediate);
  expect(isChanged).toBe(false);
  await orderFor(at, 0, key);
  runtime.ring(BURST_MS);
  await change;
});

test('it ends when the world is deleted, and says so', async () => {
  const at = await sandbox();
  await at.control.post('/worlds', { name: 'w2' });
  const next = await listen(at, 'w2');
  await at.control.delete('/worlds/w2');
  let event = await next();
  while (event?.event === 'change') event = await next();
  expect(event).toEqual({ event: 'gone', data: '{"world":"w2"}' });
  expect(await next()).toBeUndefined();
});

test('it ends when the sandbox closes', async () => {
  const at = await sandbox();
  const next = await listen(at);
  await at.close();
  expect(await next()).toBeUndefined();
});

test('a client that does not read has at most one unread event', async () => {
  const runtime = manualTimers();
  const at = await sandbox({ runtime });
  const reader = (await at.fetch('/_sandbox/stream')).body?.getReader();
  const decoder = new TextDecoder();
  const read = async () => decoder.decode((await reader?.read())?.value);
  for (let n = 0; n < 5; n += 1) {
    await orderFor(at, n);
    runtime.ring(BURST_MS);
  }
  for (let text = ''; !text.includes('event: change'); runtime.ring(BURST_MS)) text += await read();
  for (let n = 5; n < 10; n += 1) {
    await orderFor(at, n);
    runtime.ring(BURST_MS);
  }
  await at.close();
  expect((await read()).match(/event: change/g)).toHaveLength(1);
  expect(await read()).toBe('');
  expect(runtime.waiting()).not.toContain(CHECK_EVERY_MS);
});
