import { expect, test } from 'vitest';
import { openSandbox } from '../../../src/sandbox/sandbox.ts';
import { inventoryDigest } from '../../../src/tools/repro/rows.ts';
import { sandbox } from '../../support/sandbox.ts';
import { seededListing } from '../../support/seeded-listings.ts';

const digestOf = async (at: Awaited<ReturnType<typeof sandbox>>) =>
  (await at.control.get<{ digest: string }>('/repro/inventory')).digest;

test('GET /repro/inventory has the digest that a file has of the same inventory', async () => {
  const own = await openSandbox({ inventory: 2_500 });
  const { store } = own.worlds.require('default');
  const digest = await inventoryDigest(() => store.client);
  await own.close();
  expect(await digestOf(await sandbox({ inventory: 2_500 }))).toBe(digest);
});

test('a changed price, and a domain more, give another digest', async () => {
  const at = await sandbox();
  const { domain } = await seededListing(1);
  const before = await digestOf(at);
  expect(await digestOf(at)).toBe(before);
  await at.control.post('/inventory', { domain: 'one-more.example', price_cents: 100_00 });
  const after = await digestOf(at);
  await at.control.patch(`/inventory/${domain}`, { price_cents: 123_00 });
  expect(new Set([before, after, await digestOf(at)]).size).toBe(3);
});

test('other requests are handled while the inventory is read', async () => {
  const at = await sandbox({ inventory: 20_000 });
  const done: string[] = [];
  const digest = digestOf(at).then(() => done.push('digest'));
  await at.control.get('/clock').then(() => done.push('clock'));
  await digest;
  expect(done).toEqual(['clock', 'digest']);
});
