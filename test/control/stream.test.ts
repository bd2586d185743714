import { expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { systemRuntime } from '../../src/kernel/runtime.ts';
import { listen } from '../support/change-stream.ts';
import { mint, mintIn, orderFor } from '../support/orders.ts';
import { sandbox } from '../support/sandbox.ts';

const WITHOUT_PAUSES = { ...systemRuntime, sleep: () => Promise.resolve() };

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
  'a cleared log': (at) => at.control.delete('/requests'),
  'a snapshot': (at) => at.control.post('/snapshots', { name: 'here' }),
  'a reset': (at) => at.reset(),
};

test.each(Object.entries(CHANGES))('%s is a change', async (_, change) => {
  const at = await sandbox();
  const next = await listen(at);
  await change(at);
  expect(await next()).toEqual({ event: 'change', data: '{"world":"default"}' });
});

test('changes and requests of another world are not included', async () => {
  const at = await sandbox({ runtime: WITHOUT_PAUSES });
  const key = await mintIn(at, 'w2');
  // Writes the entries of these calls, so that they are no later change.
  await at.control.get('/requests');
  const next = await listen(at, 'w2');
  await orderFor(at, 0);
  let isChanged = false;
  const change = next().then(() => {
    isChanged = true;
  });
  await at.control.get('/requests');
  await new Promise(setImmediate);
  expect(isChanged).toBe(false);
  await orderFor(at, 0, key);
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

test('it ends when the sandbox closes, also if it begins then', async () => {
  const at = await sandbox({ runtime: { ...systemRuntime, after: () => () => {} } });
  const next = await listen(at);
  const late = at.fetch('/_sandbox/requests/stream');
  await at.close();
  expect(await next()).toBeUndefined();
  expect(await (await late).text()).not.toContain('event:');
});

test('a client that does not read has at most one unread event', async () => {
  const at = await sandbox({ runtime: WITHOUT_PAUSES });
  const reader = (await at.fetch('/_sandbox/stream')).body?.getReader();
  const decoder = new TextDecoder();
  const read = async () => decoder.decode((await reader?.read())?.value);
  for (let n = 0; n < 5; n += 1) await orderFor(at, n);
  await at.control.get('/requests');
  await at.close();
  let text = '';
  for (let part = await read(); part !== ''; part = await read()) text += part;
  expect(text.match(/event: change/g)?.length ?? 0).toBeLessThanOrEqual(1);
});
