import { expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { orderFor } from '../support/orders.ts';
import { deadUrl, register } from '../support/receiver.ts';
import { sandbox } from '../support/sandbox.ts';
import { commandLine } from './command-line.ts';

/** A sandbox in which every list has something in it. */
async function livedIn(): Promise<{
  shop: InProcessSandbox;
  id: string;
  event: string;
  delivery: string;
}> {
  const shop = await sandbox();
  await register(shop, await deadUrl());
  const { public_id: id } = await orderFor(shop);
  await shop.idle();
  const { deliveries } = await shop.control.get<{
    deliveries: { delivery_id: string; event_id: string }[];
  }>('/deliveries');
  return {
    shop,
    id,
    event: deliveries[0]?.event_id ?? '',
    delivery: deliveries[0]?.delivery_id ?? '',
  };
}

test('what is read with --json is what the control door answers', async () => {
  const { shop, id, event, delivery } = await livedIn();
  const run = commandLine(shop);
  for (const [line, path, query] of [
    ['status', '/status'],
    ['health', '/health'],
    ['credentials list', '/credentials'],
    ['credentials show dmk_sandbox_local', '/credentials/dmk_sandbox_local'],
    ['inventory list --env LIVE', '/inventory', { environment: 'LIVE' }],
    ['inventory list --tld test --prefix held', '/inventory', { tld: 'test', q: 'held' }],
    ['inventory show held-order.test', '/inventory/held-order.test'],
    ['orders list', '/orders'],
    ['orders list --status settled', '/orders', { status: 'SETTLED' }],
    [`orders show ${id}`, `/orders/${id}`],
    [`orders why-not ${id} --to SETTLED`, `/orders/${id}/why-not`, { to: 'SETTLED' }],
    ['events list', '/events'],
    [`events list --for ${id} --type order.recorded`, '/events', { subject_id: id }],
    ['webhooks deliveries', '/deliveries'],
    [`webhooks deliveries --event ${event} --status pending`, '/deliveries', { event_id: event }],
    [`webhooks show ${delivery}`, `/deliveries/${delivery}`],
    ['faults list', '/faults'],
    ['clock', '/clock'],
    ['clock upcoming', '/clock/upcoming'],
    ['worlds list', '/worlds'],
    ['worlds show default', '/worlds/default'],
  ] as const) {
    const { code, stderr, json } = await run(`${line} --json`);
    expect({ code, stderr }, line).toEqual({ code: 0, stderr: '' });
    expect(steady(json()), line).toEqual(steady(await shop.control.get(path, query)));
  }
});

test('what is changed with --json answers with the shapes of the control door', async () => {
  const { shop, id, event, delivery } = await livedIn();
  const run = commandLine(shop);
  for (const [line, members] of [
    [
      'credentials create --partner acme',
      [
        'key_id',
        'secret',
        'partner_id',
        'partner',
        'scopes',
        'environment',
        'affiliate',
        'approved',
        'world',
        'created_at',
      ],
    ],
    ['clock advance 1s', ['now', 'offset_ms', 'frozen']],
    ['clock next', ['reached', 'clock']],
    ['clock resume', ['now', 'offset_ms', 'frozen']],
    ['clock freeze', ['now', 'offset_ms', 'frozen']],
    [
      `webhooks retry ${delivery}`,
      ['delivery_id', 'event_id', 'url', 'status', 'attempts', 'next_attempt_at'],
    ],
    [
      `events resend ${event}`,
      ['delivery_id', 'event_id', 'url', 'status', 'attempts', 'next_attempt_at'],
    ],
    ['settlements run', ['settled_count', 'orders']],
    [`wait order ${id} --state EXTERNALLY_PAID`, ['met', 'count', 'seen']],
    ['idle', ['idle']],
    ['worlds create w1', ['name', 'seed', 'clock', 'created_at']],
    ['worlds delete w1', ['name', 'seed', 'clock', 'created_at']],
    ['rate-limits reset', ['reset']],
    ['reset', ['name', 'seed', 'clock', 'created_at']],
    ['wait --ready', ['ready', 'url']],
  ] as const) {
    const { code, json } = await run(`${line} --json`);
    expect(code, line).toBe(0);
    expect(Object.keys(json<object>()), line).toEqual(expect.arrayContaining([...members]));
  }
});

test('--json may stand in front of the command as well', async () => {
  const run = commandLine(await sandbox());
  expect((await run('--json worlds list')).json()).toMatchObject({ worlds: [{ name: 'default' }] });
  expect((await run('orders --json list')).json()).toEqual({ orders: [], next_cursor: null });
});

test('hints go to stderr, so that stdout stays one document', async () => {
  const run = commandLine(await sandbox());
  const { json, stderr } = await run('worlds create w1 --json');
  expect(json()).toMatchObject({ name: 'w1' });
  expect(stderr).toContain('sandlot credentials create --world w1');
});

/** Without what is different whenever one looks. */
function steady(document: unknown): unknown {
  const dropped = new Set(['offset_ms']);
  return JSON.parse(
    JSON.stringify(document, (name, value: unknown) => (dropped.has(name) ? undefined : value)),
  );
}
