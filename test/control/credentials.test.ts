import { describe, expect, test } from 'vitest';
import type { InProcessSandbox, Key } from '../../src/index.ts';
import {
  type Minted,
  magic,
  mint,
  mintIn,
  type Order,
  orderBody,
  orderFor,
  readOrder,
  requestOrder,
} from '../support/orders.ts';
import { answered, rejection } from '../support/responses.ts';
import { sandbox, sandboxOnDisk } from '../support/sandbox.ts';
import { sharedWatched } from '../support/unchanged.ts';

const SCOPES = ['search', 'embed', 'buy', 'broker', 'refer', 'report', 'webhook'];

function list(at: InProcessSandbox, key?: Key, nonce?: string): Promise<Response> {
  return at.call({ method: 'GET', target: '/api/partner/v1/orders', nonce }, key);
}

describe('the default credential', () => {
  test('is there from the start, with every scope', async () => {
    const at = await sandbox();
    expect(at.credential).toEqual({
      key_id: 'dmk_sandbox_local',
      secret: 'dms_sandbox_local_not_a_secret',
    });
    expect(await at.control.get('/credentials/dmk_sandbox_local')).toEqual({
      key_id: 'dmk_sandbox_local',
      secret: 'dms_sandbox_local_not_a_secret',
      partner_id: 'ptr_local',
      partner: 'local',
      scopes: SCOPES,
      environment: 'SANDBOX',
      affiliate: true,
      approved: true,
      golive: true,
      world: 'default',
      created_at: '2026-03-02T09:00:00.000Z',
    });
    await answered(await list(at), 200);
  });

  test('can be left out', async () => {
    const at = await sandbox({ defaultCredential: false });
    expect(await at.control.get('/credentials')).toMatchObject({ credentials: [], total: 0 });
    expect(await rejection(await list(at))).toMatchObject({ code: 'invalid_signature' });
    await answered(await list(at, await mint(at)), 200);
  });
});

describe('minting', async () => {
  const shared = await sharedWatched();

  test.each(['SANDBOX', 'LIVE'] as const)('a %s credential shows it whole', async (environment) => {
    const at = await sandbox();
    const kind = environment.toLowerCase();
    const minted = await mint(at, {
      environment,
      partner: 'Acme',
      scopes: ['search', 'buy'],
      affiliate: false,
    });
    expect(minted).toEqual({
      key_id: expect.stringMatching(new RegExp(`^dmk_${kind}_[0-9A-Za-z]{32}$`)),
      secret: expect.stringMatching(new RegExp(`^dms_${kind}_[0-9A-Za-z]{32}$`)),
      partner_id: expect.stringMatching(/^ptr_[0-9a-z]{16}$/),
      partner: 'Acme',
      scopes: ['search', 'buy'],
      environment,
      affiliate: false,
      approved: environment === 'SANDBOX',
      golive: true,
      world: 'default',
      created_at: '2026-03-02T09:00:00.000Z',
    });
  });

  test('with nothing said gives every scope to the partner that is there', async () => {
    const at = await sandbox();
    expect(await mint(at)).toMatchObject({ partner_id: 'ptr_local', scopes: SCOPES });
  });

  test('takes a key id of letters, digits, "_" and "-", and a secret of any spelling', async () => {
    const at = await sandbox();
    const input = { key_id: `Partner-1_${'a'.repeat(90)}`, secret: '"p@ss\\word"' };
    const minted = await mint(at, input);
    expect(minted).toMatchObject(input);
    await answered(await list(at, minted), 200);
  });

  test('joins partners by their name, within a world', async () => {
    const at = await sandbox();
    await at.control.post('/worlds', { name: 'w1' });
    const one = await mint(at, { partner: 'Acme' });
    const two = await mint(at, { partner: 'Acme', environment: 'LIVE' });
    const other = await mint(at, { partner: 'acme' });
    expect(two.partner_id).toBe(one.partner_id);
    expect(other.partner_id).not.toBe(one.partner_id);
    const there = await mint(at, { partner: 'Acme', world: 'w1' });
    await orderFor(at, 0, one);
    expect(await answered(await list(at, there), 200)).toMatchObject({ orders: [] });
  });

  test('counts a scope once', async () => {
    const at = await sandbox();
    expect(await mint(at, { scopes: ['buy', 'search', 'buy'] })).toMatchObject({
      scopes: ['buy', 'search'],
    });
  });

  test('may name its world in the body or in the query', async () => {
    const at = await sandbox();
    expect(await mintIn(at, 'w1')).toMatchObject({ world: 'w1' });
    expect(await at.control.in('w1').post('/credentials')).toMatchObject({ world: 'w1' });
  });

  test.each<[string, object]>([
    ['an unknown scope', { scopes: ['sell'] }],
    ['no scope', { scopes: [] }],
    ['a scope that is no list', { scopes: 'buy' }],
    ['an unknown environment', { environment: 'sandbox' }],
    ['a blank partner', { partner: ' ' }],
    ['a key id with a blank', { key_id: 'a b' }],
    ['a key id that is not ASCII', { key_id: 'sch\u00fcssel' }],
    ['an empty secret', { secret: '' }],
    ['a key id that ends a command of HAProxy', { key_id: 'aa;quit' }],
    ['a key id of other visible characters', { key_id: 'partner:1!~' }],
    ['an empty key id', { key_id: '' }],
    ['a long key id', { key_id: 'k'.repeat(101) }],
    ['an affiliate that is no boolean', { affiliate: 'yes' }],
    ['an unknown world', { world: 'nowhere' }],
    ['an unknown field', { scope: ['buy'] }],
  ])('is rejected with %s, and nothing is minted', async (_what, body) => {
    const create = () => shared.at.control.post('/credentials', body);
    const { code } = await shared.controlRejected(create);
    expect(code).toMatch(/validation_error|not_found/);
  });

  test('an existing key ID is rejected in every world, and the existing one stays', async () => {
    const at = await sandbox();
    await at.control.post('/worlds', { name: 'w1' });
    const first = await mint(at, { key_id: 'mine', secret: 'first' });
    for (const world of ['default', 'w1']) {
      const again = mint(at, { key_id: 'mine', secret: 'second', world, partner: 'thief' });
      await expect(again).rejects.toMatchObject({ status: 409, code: 'conflict' });
    }
    await answered(await list(at, first), 200);
    expect(await at.control.in('w1').get('/credentials')).toMatchObject({ credentials: [] });
  });

  test('the same key id in two worlds at once enters one of them', async () => {
    const at = await sandbox();
    await at.control.post('/worlds', { name: 'w1' });
    const results = await Promise.allSettled(
      ['default', 'w1'].map((world) => mint(at, { key_id: 'mine', secret: 'same', world })),
    );
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('the secret', () => {
  test('is shown where one credential is asked for by name, and nowhere else', async () => {
    const at = await sandbox();
    const { key_id, secret } = await mint(at, { secret: 'hunter2hunter2' });
    const live = await mint(at, { environment: 'LIVE', secret: `${secret}-live` });
    expect(await at.control.get(`/credentials/${key_id}`)).toMatchObject({ secret });
    const elsewhere = [
      await at.control.get('/credentials'),
      await at.control.post(`/credentials/${live.key_id}/approve`),
      await at.control.delete(`/credentials/${key_id}`),
      await at.control.get('/status'),
    ];
    expect(JSON.stringify(elsewhere)).not.toContain(secret);
  });
});

test('the list is that of one world', async () => {
  const at = await sandbox();
  const { key_id } = await mintIn(at, 'w1');
  expect(await at.control.in('w1').get('/credentials')).toMatchObject({
    credentials: [{ key_id, world: 'w1' }],
  });
  const here = await at.control.get<{ credentials: Minted[] }>('/credentials');
  expect(here.credentials.map((each) => each.key_id)).toEqual(['dmk_sandbox_local']);
});

test('what is not there can be neither shown, approved nor revoked', async () => {
  const at = await sandbox();
  for (const call of [
    at.control.get('/credentials/nobody'),
    at.control.post('/credentials/nobody/approve'),
    at.control.delete('/credentials/nobody'),
  ]) {
    await expect(call).rejects.toMatchObject({ status: 404, code: 'not_found' });
  }
});

test('a credential of any world is found by its name alone', async () => {
  const at = await sandbox();
  const { key_id } = await mintIn(at, 'w1', { environment: 'LIVE' });
  expect(await at.control.get(`/credentials/${key_id}`)).toMatchObject({ world: 'w1' });
  expect(await at.control.post(`/credentials/${key_id}/approve`)).toMatchObject({ approved: true });
  expect(await at.control.delete(`/credentials/${key_id}`)).toMatchObject({ key_id });
});

test('approval and revocation hold over a restart', async () => {
  const { dataDir, at: before } = await sandboxOnDisk();
  const [approved, revoked] = [await mint(before, { environment: 'LIVE' }), await mint(before)];
  await before.control.post(`/credentials/${approved.key_id}/approve`);
  await before.control.delete(`/credentials/${revoked.key_id}`);
  await before.close();
  const after = await sandbox({ dataDir });
  await answered(await list(after, approved), 200);
  expect(await rejection(await list(after, revoked))).toMatchObject({ code: 'invalid_signature' });
});

test.each(['a', 'b'])(
  'a key ID that is minted again for partner %s has nothing of the former key',
  async (partner) => {
    const at = await sandbox({ rateLimits: { write: 1 } });
    const first = await mint(at, { partner: 'a', key_id: 'ci', secret: 'first' });
    const sale = orderBody(magic('auto-complete', 199_900));
    await answered(await list(at, first, 'n'), 200);
    const formerSale = await requestOrder(at, sale, { key: first, idempotencyKey: 'k' });
    const former = await answered<Order>(formerSale, 201);
    await at.control.post('/snapshots', { name: 's' });
    await at.control.delete('/credentials/ci');
    const second = await mint(at, { partner, key_id: 'ci', secret: 'second' });
    for (const path of ['/idle', '/snapshots/s/restore']) {
      await at.control.post(path);
      await answered(await list(at, second, 'n'), 200);
      const response = await requestOrder(at, sale, { key: second, idempotencyKey: 'k' });
      const { public_id } = await answered<Order>(response, 201);
      expect(public_id).not.toBe(former.public_id);
      expect((await readOrder(at, public_id)).partner_id).toBe(second.partner_id);
    }
  },
);

test('a key ID in two worlds is rejected at the start, with a hint', async () => {
  const { dataDir, at: without } = await sandboxOnDisk({ defaultCredential: false });
  await mintIn(without, 'w1', { key_id: 'dmk_sandbox_local', secret: 'other' });
  await without.close();
  await expect(sandbox({ dataDir })).rejects.toThrow(/dmk_sandbox_local.*w1.*revoke one/);
  await sandbox({ dataDir, defaultCredential: false });
});

test('approving a SANDBOX credential is rejected with the purpose of approval', async () => {
  const at = await sandbox();
  const { key_id } = await mint(at);
  await expect(at.control.post(`/credentials/${key_id}/approve`)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('approval is for LIVE'),
  });
});
