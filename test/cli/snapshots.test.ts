import { expect, test } from 'vitest';
import { type Minted, orderFor } from '../support/orders.ts';
import { sandbox } from '../support/sandbox.ts';
import { commandLine } from './command-line.ts';

test('a snapshot is saved, listed, restored and deleted', async () => {
  const shop = await sandbox();
  const run = commandLine(shop);
  const saved = await run('snapshots save before-sale');
  expect({ code: saved.code, stderr: saved.stderr }).toEqual({ code: 0, stderr: '' });
  expect(saved.stdout).toMatch(/^snapshot +before-sale$/m);
  expect(saved.stdout).toMatch(/^clock +2026-03-02T09:00:00.000Z\nfrozen +yes$/m);
  await orderFor(shop);
  await run('clock advance 2d');
  expect((await run('snapshots list')).stdout).toMatch(/^before-sale .* [0-9.]+ MB/m);
  expect((await run('snapshots restore before-sale')).stdout).toBe(
    'Restored world default from snapshot before-sale (clock 2026-03-02T09:00:00.000Z)\n',
  );
  expect((await run('orders list --json')).json()).toMatchObject({ orders: [] });
  expect((await run('snapshots delete before-sale')).stdout).toBe(
    'Deleted snapshot before-sale of world default\n',
  );
  expect((await run('snapshots list --json')).json()).toMatchObject({ snapshots: [], total: 0 });
});

test('--world keeps, restores and forks the snapshots of another world', async () => {
  const shop = await sandbox();
  const run = commandLine(shop);
  await run('worlds create w1');
  const key = (await run('credentials create --world w1 --json')).json<Minted>();
  const { public_id: id } = await orderFor(shop, 0, key);
  await run('snapshots save s --world w1');
  expect((await run('snapshots restore s')).stderr).toContain('existing snapshots: none');
  expect((await run('worlds create w2 --fork s')).code).toBe(1);
  expect((await run('worlds create w2 --fork s --world w1')).code).toBe(0);
  expect((await run(`orders show ${id} --world w2`)).code).toBe(0);
});
