import { expect, test } from 'vitest';
import { type Minted, orderFor } from '../support/orders.ts';
import { sandbox } from '../support/sandbox.ts';
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

test('a fork has what its source had; a deleted world is gone', async () => {
  const shop = await sandbox();
  const run = commandLine(shop);
  const { public_id: id } = await orderFor(shop);
  await run('worlds create w1 --fork default');
  expect((await run(`orders show ${id} --world w1`)).code).toBe(0);
  await run('worlds delete w1');
  const gone = await run(`orders show ${id} --world w1`);
  expect(gone.code).toBe(1);
  expect(gone.stderr).toContain('world "w1" not found');
  expect((await run('worlds delete default')).code).toBe(1);
});

test('a key minted in a world enters it, and request --as uses it', async () => {
  const shop = await sandbox();
  const run = commandLine(shop);
  await orderFor(shop);
  await run('worlds create w1');
  const key = (await run('credentials create --world w1 --json')).json<Minted>();
  expect(key.world).toBe('w1');
  const { code, stdout } = await run(`request GET /api/partner/v1/orders --as ${key.key_id}`);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ orders: [] });
});

test('reset restores the seed and keeps the credentials', async () => {
  const shop = await sandbox();
  const run = commandLine(shop);
  await orderFor(shop);
  const key = (await run('credentials create --json')).json<Minted>();
  expect((await run('reset')).stdout).toBe('Reset world default (seed sandlot)\n');
  expect((await run('orders list --json')).json()).toMatchObject({ orders: [] });
  expect((await run(`credentials show ${key.key_id}`)).code).toBe(0);
});

test('--same-ids repeats the ids of a reset, a restore and a world of the same name', async () => {
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
  const sold: string[] = [];
  for (const line of ['worlds create w1', 'worlds create w1 --same-ids', 'worlds create w1']) {
    await run(line);
    const key = (await run('credentials create --world w1 --json')).json<Minted>();
    sold.push((await orderFor(shop, 0, key)).public_id);
    await run('worlds delete w1');
  }
  expect(sold[1]).toBe(sold[0]);
  expect(sold[2]).not.toBe(sold[0]);
});
