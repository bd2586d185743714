import fs from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { sendSigned, signPartnerRequest } from '../../src/client/partner-client.ts';
import type { InProcessSandbox } from '../../src/index.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import type { ControlWorld } from '../../src/world/resources.ts';
import { ask } from '../support/calls.ts';
import { eventTypes, mint, orderFor, ordersOf, quoteFor, withOrder } from '../support/orders.ts';
import { deliveriesOf, withAttempt, withReceiver } from '../support/receiver.ts';
import { recordScenario } from '../support/recorded-scenario.ts';
import { rejection } from '../support/responses.ts';
import { sandbox, sandboxOnDisk } from '../support/sandbox.ts';
import { isAvailable } from '../support/search.ts';
import { seededListing } from '../support/seeded-listings.ts';
import { digestOf, stateFolder, worldFileIn } from '../support/state-folder.ts';

async function names(at: InProcessSandbox): Promise<string[]> {
  const { worlds } = await at.control.get<{ worlds: ControlWorld[] }>('/worlds');
  return worlds.map((world) => world.name);
}

describe('a world', () => {
  test('called default is always there', async () => {
    const at = await sandbox();
    expect(await names(at)).toEqual(['default']);
    expect(await at.control.get('/worlds/default')).toMatchObject({
      name: 'default',
      seed: 'sandlot',
      clock: { now: '2026-03-02T09:00:00.000Z', frozen: true },
    });
  });

  test.each(['default', 'w1'])('called %s is listed, found, and made once', async (name) => {
    const at = await sandbox();
    const made = await at.control.post<ControlWorld>('/worlds', { name: 'w1' });
    expect(made).toMatchObject({ name: 'w1', seed: 'sandlot' });
    const again = at.control.post('/worlds', { name });
    await expect(again).rejects.toMatchObject({ status: 409, code: 'conflict' });
    expect(await names(at)).toEqual(['default', 'w1']);
    expect(await at.control.get(`/worlds/${name}`)).toMatchObject({ name });
  });

  test.each<[string, object]>([
    ['nothing', {}],
    ['blanks', { name: ' ' }],
    ['capitals', { name: 'World' }],
    ['a path', { name: '../w' }],
    ['a dot', { name: 'a.b' }],
    ['a dash in front', { name: '-a' }],
    ['64 letters', { name: 'a'.repeat(64) }],
    ['a NUL', { name: 'w\u0000' }],
    ['a fork of what is not there', { name: 'w', fork: 'nowhere' }],
    ['an unknown field', { name: 'w', inventory: 5 }],
  ])('cannot be made of %s, and none is', async (_what, body) => {
    const { dataDir, at } = await sandboxOnDisk();
    await expect(at.control.post('/worlds', body)).rejects.toMatchObject({
      code: expect.stringMatching(/validation_error|not_found/),
    });
    expect(await names(at)).toEqual(['default']);
    const files = fs.readdirSync(`${dataDir}/worlds`).filter((file) => file.endsWith('.db'));
    expect(files).toEqual(['default.db']);
  });

  test('that does not exist is not found, with the names of the first that do', async () => {
    const at = await sandbox();
    for (const n of [1, 2, 3, 4, 5]) await at.control.post('/worlds', { name: `w${n}`.repeat(20) });
    const message = expect.stringMatching(/existing worlds: default, w1.{1,190}…$/);
    for (const call of [
      at.control.get('/worlds/nowhere'),
      at.control.delete('/worlds/nowhere'),
      at.control.in('nowhere').get('/orders'),
      at.control.in('nowhere').post('/reset'),
    ]) {
      await expect(call).rejects.toMatchObject({ status: 404, code: 'not_found', message });
    }
  });

  test('is entered by the key alone, and shares nothing with the others', async () => {
    const at = await sandbox();
    await at.control.post('/worlds', { name: 'w1' });
    const there = await mint(at, { world: 'w1', partner: 'local' });
    expect(there.world).toBe('w1');
    const sold = await seededListing();
    await orderFor(at, sold);
    await quoteFor(at, (await seededListing(1)).domain);
    expect(await ordersOf(at, there)).toEqual([]);
    expect(await isAvailable(at, sold.domain, there)).toBe(true);
    await orderFor(at, sold, there);
    await quoteFor(at, (await seededListing(1)).domain, there);
    expect(await ordersOf(at)).toHaveLength(1);
    expect(await eventTypes(at)).toHaveLength(1);
    expect(await at.control.in('w1').get('/events')).toMatchObject({ events: [{}] });
    expect(await at.control.get('/status', { world: 'w1' })).toMatchObject({ world: 'w1' });
  });

  test('stays over a restart, with all that is in it', async () => {
    const { dataDir, at: before } = await sandboxOnDisk();
    await before.control.post('/worlds', { name: 'w1' });
    const there = await mint(before, { world: 'w1' });
    const order = await orderFor(before, 0, there);
    await before.close();
    const after = await sandbox({ dataDir });
    expect(await names(after)).toEqual(['default', 'w1']);
    expect(await ordersOf(after, there)).toEqual([order]);
    expect(await ordersOf(after)).toEqual([]);
  });
});

describe('a deleted world', () => {
  test('is gone, with its keys and its file, or stays as it was', async () => {
    const { dataDir, at } = await sandboxOnDisk();
    await at.control.post('/worlds', { name: 'w1' });
    const there = await mint(at, { world: 'w1' });
    expect(fs.existsSync(worldFileIn(dataDir, 'w1'))).toBe(true);
    const inTheWay = `${dataDir}/snapshots/w1/s.db`;
    fs.mkdirSync(inTheWay, { recursive: true });
    vi.spyOn(process.stderr, 'write').mockReturnValueOnce(true);
    await expect(at.control.delete('/worlds/w1')).rejects.toMatchObject({ status: 500 });
    await at.control.in('w1').post('/clock/advance', { by: '1h' });
    fs.rmdirSync(inTheWay);
    expect(await at.control.delete('/worlds/w1')).toMatchObject({ name: 'w1' });
    expect(await names(at)).toEqual(['default']);
    const rejected = await rejection(await ask(at, '/orders', there));
    expect(rejected).toMatchObject({ status: 401, code: 'invalid_signature' });
    const left = fs.readdirSync(`${dataDir}/worlds`).filter((file) => file.startsWith('w1'));
    expect(left).toEqual([]);
  });

  test('is never the default one', async () => {
    const { dataDir, at } = await sandboxOnDisk();
    await orderFor(at);
    const digest = digestOf(dataDir);
    const call = at.control.delete('/worlds/default');
    await expect(call).rejects.toMatchObject({ status: 409, code: 'conflict' });
    expect(digestOf(dataDir)).toBe(digest);
    await orderFor(at, 1);
  });
});

describe('a fork', () => {
  test('has the marketplace of its source as it was, and no key', async () => {
    const { at, ...order } = await withOrder(0);
    await at.control.post('/clock/advance', { by: '1h' });
    await at.control.post('/worlds', { name: 'fork', fork: 'default' });
    const fork = at.control.in('fork');
    expect(await fork.get('/credentials')).toMatchObject({ credentials: [], total: 0 });
    expect(await fork.get('/orders')).toMatchObject({ orders: [{ public_id: order.public_id }] });
    expect(await fork.get('/events')).toMatchObject({ events: [{ type: 'order.recorded' }] });
    expect(await fork.get('/clock')).toMatchObject({ now: '2026-03-02T10:00:00.000Z' });
    const inside = await mint(at, { world: 'fork', partner: 'local' });
    expect(inside.partner_id).toBe('ptr_local');
    expect(await ordersOf(at, inside)).toEqual([order]);
    expect(await isAvailable(at, order.domain, inside)).toBe(false);
  });

  test('goes its own way from then on', async () => {
    const at = await sandbox();
    await at.control.post('/worlds', { name: 'fork', fork: 'default' });
    const inside = await mint(at, { world: 'fork', partner: 'local' });
    const [sold, other] = [await seededListing(0), await seededListing(1)];
    await orderFor(at, sold, inside);
    await orderFor(at, other);
    expect(await isAvailable(at, sold.domain)).toBe(true);
    expect(await isAvailable(at, other.domain, inside)).toBe(true);
    await at.control.in('fork').post('/reset');
    expect(await ordersOf(at)).toHaveLength(1);
  });

  test('takes no cursor of another one', async () => {
    const at = await sandbox();
    for (const n of [0, 1]) await orderFor(at, n);
    for (const name of ['a', 'b']) await at.control.post('/worlds', { name, fork: 'default' });
    const ordersIn = (world: string, query: object) =>
      at.control.in(world).get<{ next_cursor: string }>('/orders', { limit: 1, ...query });
    const { next_cursor: cursor } = await ordersIn('a', {});
    await expect(ordersIn('b', { cursor })).rejects.toThrow('cursor: invalid');
  });

  test('mints keys that its source does not', async () => {
    const at = await sandbox();
    await at.control.post('/worlds', { name: 'a', fork: 'default' });
    await at.control.post('/worlds', { name: 'b', fork: 'default' });
    const minted = [await mint(at), await mint(at, { world: 'a' }), await mint(at, { world: 'b' })];
    expect(new Set(minted.map(({ key_id }) => key_id)).size).toBe(3);
    expect(new Set(minted.map(({ secret }) => secret)).size).toBe(3);
  });

  test('of a fork, and of a world with work in hand, is as good', async () => {
    const dataDir = stateFolder();
    const { at, hook } = await withAttempt(500, { dataDir });
    await at.control.post('/worlds', { name: 'a', fork: 'default' });
    await at.control.post('/worlds', { name: 'b', fork: 'a' });
    const inside = at.control.in('b');
    // The event is the source's to deliver: twice, once from each world, would be once too often.
    expect(await deliveriesOf({ control: inside })).toMatchObject([
      { status: 'failed', next_attempt_at: null },
    ]);
    expect(await deliveriesOf(at)).toMatchObject([{ status: 'pending' }]);
    hook.response = 200;
    const sent = hook.received.length;
    await inside.post('/clock/advance', { by: '5s' });
    expect(hook.received.length).toBe(sent);
    await at.control.post('/clock/advance', { by: '5s' });
    expect(await deliveriesOf(at)).toMatchObject([{ status: 'delivered' }]);
  });
});

describe('reset', () => {
  test('forgets used nonces and rate windows', async () => {
    const at = await sandbox({ rateLimits: { default: 1 } });
    const request = { method: 'GET', target: '/api/partner/v1/orders' };
    const sent = signPartnerRequest(at.url, at.credential, request, Date.now());
    expect((await sendSigned(at.fetch, sent)).status).toBe(200);
    expect((await sendSigned(at.fetch, sent)).status).toBe(401);
    expect((await at.call(request)).status).toBe(429);
    await at.reset();
    expect((await sendSigned(at.fetch, sent)).status).toBe(200);
  });

  test('puts everything back but the keys', async () => {
    const { at, hook } = await withReceiver(500);
    const other = await mint(at, { partner: 'other' });
    const sold = await seededListing();
    await orderFor(at, sold);
    await at.control.post('/clock/advance', { by: '1d' });
    await at.reset();
    expect(await at.control.get('/orders')).toMatchObject({ orders: [] });
    expect(await at.control.get('/events')).toMatchObject({ events: [] });
    expect(await deliveriesOf(at)).toEqual([]);
    expect(await at.control.get('/clock/upcoming')).toMatchObject({ upcoming: [] });
    expect(await at.control.get('/clock')).toMatchObject({ now: '2026-03-02T09:00:00.000Z' });
    expect(await isAvailable(at, sold.domain)).toBe(true);
    expect(await isAvailable(at, sold.domain, other)).toBe(true);
    const sent = hook.received.length;
    await orderFor(at, sold, other);
    await orderFor(at, 1);
    await at.idle();
    expect(hook.received).toHaveLength(sent);
  });

  test('with sameIds gives the same ids, quotes and bytes again', async () => {
    const at = await sandbox({ rateLimits: false });
    const first = await recordScenario(at);
    await at.reset({ sameIds: true });
    expect(await recordScenario(at)).toEqual(first);
  });

  test('gives back the default credential when it was revoked, unless another world has its key', async () => {
    const at = await sandbox();
    const { key_id, secret } = at.credential;
    await at.control.delete(`/credentials/${key_id}`);
    await at.reset();
    await orderFor(at);
    await at.control.delete(`/credentials/${key_id}`);
    await at.control.post('/worlds', { name: 'w1' });
    await mint(at, { world: 'w1', key_id, secret });
    await expect(at.reset()).rejects.toThrow(`${key_id} is in world w1 already`);
    expect(await at.control.get('/orders')).toMatchObject({ orders: [{}] });
    expect(await ordersOf(at)).toEqual([]);
  });
});

describe('the same seed and the same calls', () => {
  test('give the same bytes in two sandboxes, in memory or on disk', async () => {
    const one = await recordScenario(await sandbox());
    const two = await recordScenario(await sandbox());
    const onDisk = await recordScenario(await sandbox({ dataDir: stateFolder() }));
    expect(one.length).toBeGreaterThan(20);
    expect(two).toEqual(one);
    expect(onDisk).toEqual(one);
  });

  test('mint the same keys', async () => {
    const [one, two] = [await mint(await sandbox()), await mint(await sandbox())];
    expect(two).toEqual(one);
    const other = await mint(await sandbox({ seed: 'another' }));
    expect(other.key_id).not.toBe(one.key_id);
    expect(other.secret).not.toBe(one.secret);
  });
});

test('of worlds of one name that are created at once, one is', async () => {
  const at = await sandbox();
  const calls = [1, 2, 3].map(() => at.control.post('/worlds', { name: 'w' }));
  const results = await Promise.allSettled(calls);
  const codes = results.map((each) => each.status === 'rejected' && each.reason.code);
  expect(codes.sort()).toEqual(['conflict', 'conflict', false]);
});

test('a closed sandbox opens no world', async () => {
  const { worlds, close } = await openSandbox({ inventory: 5 });
  await close();
  expect(() => worlds.create('w1')).toThrow('the sandbox is closing');
});

test('a sandbox that closes during a reset has reset the world or not', async () => {
  const { dataDir, at } = await sandboxOnDisk();
  await orderFor(at, 0);
  const reset = at.reset().then(
    () => [0],
    () => [0, 1],
  );
  await new Promise(setImmediate);
  await at.close();
  const possible = await reset;
  const { length } = await ordersOf(await sandbox({ dataDir }));
  expect(possible).toContain(length);
});

test('a signed GET writes nothing to the world, and an order does', async () => {
  const { dataDir, at } = await sandboxOnDisk();
  const before = digestOf(dataDir);
  for (const target of ['/orders', '/pricing?domain=held-order.test', '/orders/none']) {
    await at.call({ method: 'GET', target: `/api/partner/v1${target}` });
  }
  expect(digestOf(dataDir)).toBe(before);
  await orderFor(at, 0);
  expect(digestOf(dataDir)).not.toBe(before);
});
