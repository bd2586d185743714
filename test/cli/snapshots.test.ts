import { expect, test } from 'vitest';
import { orderFor } from '../support/orders.ts';
import { sandbox } from '../support/sandbox.ts';
import { commandLine } from './command-line.ts';

test('a snapshot is saved, listed, restored and deleted', async () => {
  const shop = await sandbox();
  const run = commandLine(shop);
  const saved = await run('snapshots save before-sale');
  expect({ code: saved.code, stderr: saved.stderr }).toEqual({ code: 0, stderr: '' });
  expect(saved.stdout).toMatch(/^snapshot +before-sale$/m);
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
