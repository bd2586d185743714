import { expect, test } from 'vitest';
import { listen } from '../support/change-stream.ts';
import { manualTimers } from '../support/manual-timers.ts';
import { mint, orderFor } from '../support/orders.ts';
import { receiver, register } from '../support/receiver.ts';
import { sandbox } from '../support/sandbox.ts';

const GATHER_MS = 50;
const LOOK_EVERY_MS = 1_000;

test('partner API calls are listed by what they changed', async () => {
  const at = await sandbox();
  const stream = await listen(at);
  await orderFor(at, 0);
  await orderFor(at, 1);
  const changed = new Set<string>();
  // What is logged of a call may be told a little after what the call did.
  while (!['orders', 'events', 'inventory'].every((noun) => changed.has(noun))) {
    const event = await stream.next();
    expect(event?.event).toBe('change');
    const change = JSON.parse(event?.data ?? '{}') as { changed: string[] };
    for (const noun of change.changed) changed.add(noun);
  }
  expect(changed).not.toContain('clock');
  expect(changed).not.toContain('credentials');
});

test('control API calls are listed too', async () => {
  const at = await sandbox();
  const stream = await listen(at);
  const order = await orderFor(at, 0);
  await stream.receives('orders', 'requests');
  await at.control.post('/clock/advance', { by: '1m' });
  await stream.receives('clock');
  await at.control.post('/faults', { match: { path: '/pricing' }, effect: { delay_ms: 1 } });
  await stream.receives('faults');
  await mint(at, { partner: 'Corner Shop' });
  await stream.receives('credentials');
  await at.control.post('/inventory', { domain: 'new-here.com', price_cents: 100 });
  await stream.receives('inventory');
  await at.call({
    method: 'POST',
    target: '/api/partner/v1/quotes',
    body: { domain: 'held-order.test' },
  });
  await stream.receives('upcoming');
  await at.control.post('/worlds', { name: 'w2' });
  await stream.receives('worlds');
  await at.control.post('/snapshots', { name: 'here' });
  await stream.receives('snapshots');
  await at.control.post(`/orders/${order.public_id}/advance`);
  await stream.receives('orders', 'events');
});

test('the stream sends deliveries when they are created, attempted and retried', async () => {
  const at = await sandbox();
  const hook = await receiver(503);
  await register(at, hook.url);
  const stream = await listen(at);
  await orderFor(at, 0);
  await stream.receives('deliveries');
  await at.idle();
  await stream.receives('deliveries');
  await at.control.post('/clock/next');
  await stream.receives('deliveries', 'clock');
});

test('a reset and a restored snapshot change everything', async () => {
  const at = await sandbox();
  await at.control.post('/snapshots', { name: 'here' });
  const stream = await listen(at);
  const all = ['orders', 'events', 'deliveries', 'clock', 'faults', 'inventory', 'requests'];
  await at.reset();
  await stream.receives(...all);
  await at.control.post('/snapshots/here/restore');
  await stream.receives(...all);
});

test('another world is not included', async () => {
  const at = await sandbox();
  await at.control.post('/worlds', { name: 'w2' });
  const key = await mint(at, { world: 'w2' });
  const stream = await listen(at);
  await orderFor(at, 0, key);
  await at.control.post('/clock/advance', { by: '1m' });
  const changed: string[] = [];
  while (!changed.includes('clock')) {
    const event = await stream.next();
    changed.push(...(JSON.parse(event?.data ?? '') as { changed: string[] }).changed);
  }
  // The control API calls of this test are in the request log of its own world.
  expect(changed.filter((each) => each !== 'requests')).toEqual(['clock']);
  expect(await at.control.get('/requests', { api: 'partner' })).toMatchObject({ requests: [] });
});

test('it ends when the world goes, and says so', async () => {
  const at = await sandbox();
  await at.control.post('/worlds', { name: 'w2' });
  const stream = await listen(at, 'w2');
  await at.control.delete('/worlds/w2');
  let event = await stream.next();
  while (event?.event === 'change') event = await stream.next();
  expect(event).toEqual({ event: 'gone', data: '{"world":"w2"}' });
  expect(await stream.next()).toBeUndefined();
});

test('it ends when the sandbox closes', async () => {
  const at = await sandbox();
  const stream = await listen(at);
  await at.close();
  expect(await stream.next()).toBeUndefined();
});

test('a client that does not read has at most one unread event', async () => {
  const runtime = manualTimers();
  const at = await sandbox({ runtime });
  const response = await at.fetch('/_sandbox/stream');
  const reader = response.body?.getReader();
  for (let n = 0; n < 5; n += 1) {
    await orderFor(at, n);
    runtime.ring(GATHER_MS);
  }
  const decoder = new TextDecoder();
  let text = '';
  await at.control.post('/clock/advance', { by: '1m' });
  runtime.ring(GATHER_MS);
  while (!text.includes('"clock"')) text += decoder.decode((await reader?.read())?.value);
  // The first, and in a second one all that has changed since.
  expect(text.match(/event: change/g)?.length).toBeLessThanOrEqual(2);
  await reader?.cancel();
  expect(runtime.waiting()).not.toContain(LOOK_EVERY_MS);
});
