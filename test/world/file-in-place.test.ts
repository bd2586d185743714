import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { systemRuntime } from '../../src/kernel/runtime.ts';
import { mint, orderBody, orderFor, requestOrder } from '../support/orders.ts';
import { rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';
import { digestOf, stateFolder, worldFileIn } from '../support/state-folder.ts';

/** A sandbox whose data dir is in a folder of its own, so that it can be moved away. */
async function movable() {
  const parent = stateFolder();
  const dataDir = path.join(parent, 'state');
  let elapsed = 0;
  // Every commit is far enough from the last one for the file to be looked for.
  const runtime = { ...systemRuntime, monotonic: () => (elapsed += 1_000) };
  const at = await sandbox({ dataDir, runtime });
  return { at, dataDir, aside: path.join(parent, 'aside') };
}

const LOST = expect.stringContaining('default.db was deleted, moved or replaced');

test('after the data dir is deleted, no call is acknowledged and none brings it back', async () => {
  const { at, dataDir } = await movable();
  await orderFor(at, 0);
  fs.rmSync(dataDir, { recursive: true });
  const lost = { status: 500, code: 'internal_error', message: LOST };
  const response = await requestOrder(at, orderBody(await seededListing(1)));
  expect(await rejection(response)).toMatchObject(lost);
  for (const path of ['/health', '/status']) {
    await expect(at.control.get(path)).rejects.toMatchObject(lost);
  }
  for (const [path, body] of [
    ['/worlds', { name: 'w1' }],
    ['/snapshots', { name: 's1' }],
    ['/reset', {}],
  ] as const) {
    await expect(at.control.post(path, body)).rejects.toMatchObject(lost);
  }
  await at.close();
  expect(fs.existsSync(dataDir)).toBe(false);
});

test('a data dir that takes the place of the first is not written to', async () => {
  const { at, dataDir, aside } = await movable();
  fs.renameSync(dataDir, aside);
  const other = await sandbox({ dataDir });
  await orderFor(other, 0);
  await other.close();
  const before = digestOf(dataDir);
  expect(await rejection(await requestOrder(at, orderBody(await seededListing(1))))).toMatchObject({
    message: LOST,
  });
  await expect(at.control.post('/worlds', { name: 'w1' })).rejects.toMatchObject({ message: LOST });
  await at.close();
  expect(digestOf(dataDir)).toBe(before);
  expect(fs.readdirSync(path.join(dataDir, 'worlds')).filter((name) => /w1/.test(name))).toEqual(
    [],
  );
});

test('a data dir that is put back is used again, and nothing acknowledged is lost', async () => {
  const { at, dataDir, aside } = await movable();
  await orderFor(at, 0);
  fs.renameSync(dataDir, aside);
  await expect(at.control.get('/health')).rejects.toMatchObject({ message: LOST });
  fs.renameSync(aside, dataDir);
  await orderFor(at, 1);
  await at.close();
  const again = await sandbox({ dataDir });
  expect((await again.control.get<{ orders: unknown[] }>('/orders')).orders).toHaveLength(2);
});

test('a world whose file is deleted rejects requests, and the others work', async () => {
  const { at, dataDir } = await movable();
  await at.control.post('/worlds', { name: 'w1' });
  const key = await mint(at, { world: 'w1' });
  fs.rmSync(worldFileIn(dataDir, 'w1'));
  await expect(at.control.in('w1').get('/status')).rejects.toMatchObject({ status: 500 });
  await expect(at.control.in('w1').post('/reset', {})).rejects.toMatchObject({ status: 500 });
  await orderFor(at, 0);
  expect(key.world).toBe('w1');
});
