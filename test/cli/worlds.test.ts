import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Minted, orderFor } from '../support/orders.ts';
import { sandbox } from '../support/sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';
import { commandLine } from './command-line.ts';

test('--world acts in another world and leaves the default one alone', async () => {
  const shop = await sandbox();
  const run = commandLine(shop);
  await orderFor(shop);
  await run('worlds create w1');
  await run('clock advance 2d --world w1');
  expect((await run('orders list --world w1 --json')).json()).toMatchObject({ orders: [] });
  expect((await run('orders list --json')).json()).toMatchObject({ orders: [{}] });
  const clock = async (line: string) => (await run(line)).json<{ now: string }>().now;
  expect(await clock('clock --json')).toBe('2026-03-02T09:00:00.000Z');
  expect(await clock('clock --world w1 --json')).toBe('2026-03-04T09:00:00.000Z');
});

test('--same-ids repeats the ids of a reset and a restore', async () => {
  const shop = await sandbox();
  const run = commandLine(shop);
  const { public_id: first } = await orderFor(shop);
  await run('reset --same-ids');
  await run('snapshots save s');
  expect((await orderFor(shop)).public_id).toBe(first);
  await run('snapshots restore s --same-ids');
  expect((await orderFor(shop)).public_id).toBe(first);
  await run('snapshots restore s');
  expect((await orderFor(shop)).public_id > first).toBe(true);
});

test('a world is exported to a private file, and imported from it', async () => {
  const shop = await sandbox();
  const cwd = stateFolder();
  const file = path.join(cwd, 'w1.db');
  const run = commandLine(shop, { cwd });
  await run('worlds create w1');
  const key = (await run('credentials create --world w1 --json')).json<Minted>();
  const order = await orderFor(shop, 0, key);
  fs.writeFileSync(file, 'an older file', { mode: 0o644 });
  const exported = await run('worlds export w1 w1.db');
  expect(exported.stdout).toMatch(/^Wrote \d+ bytes to w1\.db\. The file contains secrets\.\n$/);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(fs.readdirSync(cwd)).toEqual(['w1.db']);
  const taken = await run('worlds import w1.db');
  expect(taken.code).toBe(1);
  expect(taken.stderr).toContain('world "w1" already exists');

  await run('worlds delete w1');
  expect((await run('worlds import w1.db --json')).json()).toMatchObject({ name: 'w1' });
  const list = await run(`request GET /api/partner/v1/orders --as ${key.key_id}`);
  expect(JSON.parse(list.stdout)).toMatchObject({ orders: [{ public_id: order.public_id }] });
});

test('an export that fails leaves no file and keeps an older one', async () => {
  const shop = await sandbox();
  const cwd = stateFolder();
  fs.writeFileSync(path.join(cwd, 'w9.db'), 'an older file');
  const failed = await commandLine(shop, { cwd })('worlds export w9 w9.db');
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain('world "w9" not found');
  expect(fs.readdirSync(cwd)).toEqual(['w9.db']);
  expect(fs.readFileSync(path.join(cwd, 'w9.db'), 'utf8')).toBe('an older file');
});
