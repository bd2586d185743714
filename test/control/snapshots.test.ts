import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { sendSigned, signPartnerRequest } from '../../src/client/partner-client.ts';
import type { InProcessSandbox } from '../../src/index.ts';
import type { Output } from '../../src/kernel/resource.ts';
import type { snapshot } from '../../src/world/resources.ts';
import {
  mint,
  type Order,
  orderBody,
  orderFor,
  ordersOf,
  requestOrder,
  requestQuote,
  withOrder,
} from '../support/orders.ts';
import { deliveriesOf, withAttempt } from '../support/receiver.ts';
import { answered, rejection } from '../support/responses.ts';
import { testRuntime } from '../support/runtime.ts';
import { sandbox, sandboxOnDisk, sandboxWithRuntime } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';
import { HOMES } from '../support/state-folder.ts';
import { watched } from '../support/unchanged.ts';

type Snapshot = Output<typeof snapshot>;

const save = (at: Pick<InProcessSandbox, 'control'>, name: string, more: object = {}) =>
  at.control.post<Snapshot>('/snapshots', { name, ...more });
const restore = (at: Pick<InProcessSandbox, 'control'>, name: string) =>
  at.control.post<{ name: string; clock: { now: string } }>(`/snapshots/${name}/restore`);

async function names(at: Pick<InProcessSandbox, 'control'>): Promise<string[]> {
  const { snapshots } = await at.control.get<{ snapshots: Snapshot[] }>('/snapshots');
  return snapshots.map(({ name }) => name);
}

describe.each(HOMES)('a snapshot %s', (_where, options) => {
  test('says what it is, is listed, and is gone when it is deleted', async () => {
    const at = await sandbox({ ...options(), runtime: testRuntime() });
    expect(await at.control.get('/snapshots')).toMatchObject({ snapshots: [], total: 0 });
    await at.control.post('/clock/advance', { by: '1h' });
    const saved = await save(at, 'before-sale');
    expect(saved).toEqual({
      name: 'before-sale',
      world: 'default',
      created_at: '2026-03-02T09:00:00.000Z',
      size_bytes: expect.any(Number),
    });
    expect(saved.size_bytes).toBeGreaterThan(10_000);
    expect(await at.control.get('/snapshots')).toMatchObject({ snapshots: [saved], total: 1 });
    expect(await at.control.delete('/snapshots/before-sale')).toEqual(saved);
    expect(await names(at)).toEqual([]);
    await expect(restore(at, 'before-sale')).rejects.toMatchObject({ status: 404 });
  });

  test('brings everything back as it was, as often as it is restored', async () => {
    const at = await sandbox({ ...options(), rateLimits: false });
    const first = await orderFor(at, 0);
    const sold = await seededListing(1);
    await save(at, 's');
    for (let round = 0; round < 2; round += 1) {
      const second = await orderFor(at, sold);
      await at.control.post('/clock/advance', { by: '2d' });
      await at.control.post(`/orders/${first.public_id}/advance`, { action: 'hold' });
      expect(second.public_id).not.toBe(first.public_id);
      expect(await restore(at, 's')).toMatchObject({
        name: 'default',
        clock: { now: '2026-03-02T09:00:00.000Z', frozen: true },
      });
      expect(await ordersOf(at)).toEqual([first]);
      expect(await at.control.get('/events')).toMatchObject({ events: [{}], next_cursor: null });
      expect(await at.control.get('/clock')).toMatchObject({ now: '2026-03-02T09:00:00.000Z' });
    }
    await orderFor(at, sold);
  });

  test('of an existing name is rejected unless it is to be replaced', async () => {
    const at = await sandbox(options());
    await save(at, 's');
    await orderFor(at, 0);
    await expect(save(at, 's')).rejects.toMatchObject({ status: 409, code: 'conflict' });
    await expect(save(at, 's', { replace: false })).rejects.toMatchObject({ status: 409 });
    await restore(at, 's');
    expect(await ordersOf(at)).toEqual([]);
    const order = await orderFor(at, 0);
    await save(at, 's', { replace: true });
    await at.reset();
    await restore(at, 's');
    expect(await ordersOf(at)).toEqual([order]);
    expect(await names(at)).toEqual(['s']);
  });

  test('belongs to its world, and goes with it', async () => {
    const at = await sandbox(options());
    await at.control.post('/worlds', { name: 'w1' });
    const there = { control: at.control.in('w1') };
    await save(there, 's');
    await save(at, 't');
    expect([await names(at), await names(there)]).toEqual([['t'], ['s']]);
    const message = expect.stringContaining('existing snapshots: t');
    await expect(restore(at, 's')).rejects.toMatchObject({ status: 404, message });
    await at.control.delete('/worlds/w1');
    await at.control.post('/worlds', { name: 'w1' });
    expect(await names(there)).toEqual([]);
    expect(await names(at)).toEqual(['t']);
  });

  test('can be forked, and the fork has no snapshots and no keys', async () => {
    const at = await sandbox(options());
    const order = await orderFor(at, 0);
    await save(at, 's');
    await orderFor(at, 1);
    await at.control.post('/worlds', { name: 'fork', fork: 's' });
    const inside = await mint(at, { world: 'fork', partner: 'local' });
    expect(await ordersOf(at, inside)).toEqual([order]);
    expect(await ordersOf(at)).toHaveLength(2);
    expect(await names({ control: at.control.in('fork') })).toEqual([]);
    expect(await at.control.in('fork').get('/worlds/fork')).toMatchObject({ name: 'fork' });
    // A snapshot of another world is none of this one.
    const call = at.control.in('fork').post('/worlds', { name: 'next', fork: 's' });
    await expect(call).rejects.toMatchObject({ status: 404, code: 'not_found' });
  });
});

describe('a snapshot cannot be saved', () => {
  test.each<[string, object]>([
    ['without a name', {}],
    ['with a path', { name: '../s' }],
    ['with a replace that is neither true nor false', { name: 's', replace: 'yes' }],
    ['with an unknown field', { name: 's', world: 'default' }],
  ])('%s, and none is', async (_what, body) => {
    const { dataDir, at } = await sandboxOnDisk();
    const call = at.control.post('/snapshots', body);
    await expect(call).rejects.toMatchObject({ status: 400, code: 'validation_error' });
    expect(fs.existsSync(path.join(dataDir, 'snapshots'))).toBe(false);
  });
});

/** Writes other bytes over a page in the middle of a database. */
function overwritePage(file: string): void {
  const page = 4_096;
  const bytes = fs.readFileSync(file);
  const at = page * Math.floor(bytes.length / page / 2);
  fs.writeFileSync(file, bytes.fill(0xff, at, at + page));
}

describe('a rejected restore changes nothing', () => {
  test.each(['none', '..', '../../worlds/default', 'S', '%2e%2e', 'a/b'])('of %j', async (name) => {
    const { at, controlRejected } = await watched();
    await orderFor(at);
    const to = `/snapshots/${encodeURIComponent(name)}/restore`;
    expect(await controlRejected(() => at.control.post(to))).toMatchObject({ status: 404 });
  });

  test.each<[string, (file: string) => void, RegExp]>([
    ['of a text', (file) => fs.writeFileSync(file, 'hello'), /damaged/],
    ['with a page of other bytes', overwritePage, /^snapshot s: .* damaged .*Delete the snapshot/],
    ['of a newer sandlot', (file) => pragma(file, 'user_version = 99'), /newer sandlot/],
  ])('%s; it can still be deleted', async (_what, spoil, says) => {
    const { dataDir, at } = await sandboxOnDisk();
    await save(at, 's');
    const order = await orderFor(at, 0);
    const file = path.join(dataDir, 'snapshots/default/s.db');
    spoil(file);
    const spoilt = fs.readFileSync(file);
    const rejected = { status: 409, code: 'conflict', message: expect.stringMatching(says) };
    await expect(restore(at, 's')).rejects.toMatchObject(rejected);
    const fork = at.control.post('/worlds', { name: 'fork', fork: 's' });
    await expect(fork).rejects.toMatchObject(rejected);
    expect(await ordersOf(at)).toEqual([order]);
    expect(fs.readFileSync(file).equals(spoilt)).toBe(true);
    const worlds = fs.readdirSync(path.join(dataDir, 'worlds'));
    expect(worlds.filter((name) => /fork|new/.test(name))).toEqual([]);
    expect(await names(at)).toEqual(['s']);
    await at.control.delete('/snapshots/s');
    expect(await names(at)).toEqual([]);
  });

  test('for want of a disk that takes it', async () => {
    const { dataDir, at } = await sandboxOnDisk();
    await save(at, 's');
    const order = await orderFor(at, 0);
    const report = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => report.mockRestore());
    const inTheWay = path.join(dataDir, 'worlds/default.db.new');
    fs.mkdirSync(inTheWay);
    await expect(restore(at, 's')).rejects.toMatchObject({ status: 500 });
    await expect(at.reset()).rejects.toMatchObject({ status: 500 });
    expect(await ordersOf(at)).toEqual([order]);
    fs.rmdirSync(inTheWay);
    await restore(at, 's');
    expect(await ordersOf(at)).toEqual([]);
  });
});

function pragma(file: string, text: string): void {
  const db = new Database(file);
  db.pragma(text);
  db.close();
}

describe('who may enter after a restore', () => {
  test('is who may enter now: new keys stay, revoked ones stay out', async () => {
    const at = await sandbox();
    const revoked = await mint(at, { partner: 'revoked' });
    const live = await mint(at, { partner: 'live', environment: 'LIVE' });
    await save(at, 's');
    const later = await mint(at, { partner: 'later' });
    await at.control.delete(`/credentials/${revoked.key_id}`);
    await at.control.post(`/credentials/${live.key_id}/approve`);
    await restore(at, 's');
    expect(await ordersOf(at, later)).toEqual([]);
    expect(await ordersOf(at, live)).toEqual([]);
    const response = await at.call({ method: 'GET', target: '/api/partner/v1/orders' }, revoked);
    expect(await rejection(response)).toMatchObject({ status: 401, code: 'invalid_signature' });
    await orderFor(at, 0, later);
  });

  test('is given no key and no partner id twice', async () => {
    const at = await sandbox();
    await save(at, 's');
    const minted = [await mint(at, { partner: 'one' })];
    await restore(at, 's');
    minted.push(await mint(at, { partner: 'two' }));
    await save(at, 't');
    await at.reset();
    await restore(at, 't');
    minted.push(await mint(at, { partner: 'three' }));
    for (const member of ['key_id', 'secret', 'partner_id'] as const) {
      expect(new Set(minted.map((each) => each[member])).size).toBe(3);
    }
  });

  test('forgets used nonces, whether they were used before or after the snapshot', async () => {
    const at = await sandbox();
    const request = { method: 'GET', target: '/api/partner/v1/orders' };
    const sign = () => signPartnerRequest(at.url, at.credential, request, Date.now());
    const [before, after] = [sign(), sign()];
    await sendSigned(at.fetch, before);
    await save(at, 's');
    await sendSigned(at.fetch, after);
    await restore(at, 's');
    for (const sent of [before, after]) expect((await sendSigned(at.fetch, sent)).status).toBe(200);
  });

  test('stays so over a restart', async () => {
    const { dataDir, at: before } = await sandboxOnDisk();
    await save(before, 's');
    const key = await mint(before, { partner: 'later' });
    const order = await orderFor(before, 0);
    await save(before, 't');
    await restore(before, 's');
    await before.close();
    const after = await sandbox({ dataDir });
    expect(await names(after)).toEqual(['s', 't']);
    expect(await ordersOf(after, key)).toEqual([]);
    await restore(after, 't');
    expect(await ordersOf(after)).toEqual([order]);
    expect(await ordersOf(after, key)).toEqual([]);
  });
});

describe('after a restore', () => {
  test('a key that was used for a recorded order replays it, and a later one is free', async () => {
    const at = await sandbox();
    const [first, second] = [orderBody(await seededListing(0)), orderBody(await seededListing(1))];
    const response = await requestOrder(at, first, { idempotencyKey: 'first' });
    const recorded = await answered<Order>(response, 201);
    await save(at, 's');
    await answered(await requestOrder(at, second, { idempotencyKey: 'second' }), 201);
    await restore(at, 's');
    const again = await requestOrder(at, first, { idempotencyKey: 'first' });
    expect(await answered(again, 201)).toEqual(recorded);
    await answered(await requestOrder(at, second, { idempotencyKey: 'second' }), 201);
    expect(await ordersOf(at)).toHaveLength(2);
  });

  test('a running clock runs on from the moment of saving', async () => {
    const { at, runtime } = await sandboxWithRuntime();
    await at.control.post('/clock/resume');
    await at.control.post('/clock/advance', { by: '1h' });
    const { domain } = await seededListing(0);
    const asked = await answered<{ quote_id: string }>(await requestQuote(at, domain), 201);
    await save(at, 's');
    runtime.time += 3 * 86_400_000;
    expect(await restore(at, 's')).toMatchObject({ clock: { now: '2026-03-02T10:00:00.000Z' } });
    runtime.time += 60_000;
    expect(await at.control.get('/clock')).toMatchObject({
      now: '2026-03-02T10:01:00.000Z',
      frozen: false,
    });
    // Three days later in real time, the ten minutes are not over.
    const sale = { quote_id: asked.quote_id, external_payment_ref: 'p' };
    await answered(await requestOrder(at, sale), 201);
    await at.control.post('/worlds', { name: 'fork', fork: 's' });
    const forkClock = await at.control.in('fork').get('/clock');
    expect(forkClock).toMatchObject({ now: '2026-03-02T10:00:00.000Z' });
  });

  test('what was still to be delivered is delivered again', async () => {
    const { at, hook } = await withAttempt(500);
    await save(at, 's');
    hook.response = 200;
    await at.control.post('/clock/advance', { by: '5s' });
    expect(await deliveriesOf(at)).toMatchObject([{ status: 'delivered' }]);
    await restore(at, 's');
    expect(await deliveriesOf(at)).toMatchObject([{ status: 'pending', attempts: [{}] }]);
    await at.control.post('/clock/advance', { by: '5s' });
    expect(await deliveriesOf(at)).toMatchObject([{ status: 'delivered', attempts: [{}, {}] }]);
    expect(hook.received).toHaveLength(3);
  });

  test.each(['/snapshots/s/restore', '/reset'])('%s lets Node.js free databases', async (route) => {
    const at = await sandbox();
    await save(at, 's');
    const turn = vi.fn();
    setImmediate(turn);
    await at.control.post(route);
    expect(turn).toHaveBeenCalled();
  });

  test('a waiting request gets the current state', async () => {
    const { at, public_id: id } = await withOrder(0);
    await at.control.post(`/orders/${id}/advance`, { action: 'hold' });
    await save(at, 'held');
    await at.control.post(`/orders/${id}/advance`, { action: 'clear' });
    await at.reset({ sameIds: true });
    await orderFor(at, 0);
    const waiting = at.control.post('/wait', { for: 'order', id, state: 'MANUAL_REVIEW' });
    await restore(at, 'held');
    expect(await waiting).toMatchObject({ met: true });
  });
});
