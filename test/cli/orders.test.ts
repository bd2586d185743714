import { expect, test } from 'vitest';
import { eventTypes, type OrderDetail, orderFor, readOrder } from '../support/orders.ts';
import { sandbox } from '../support/sandbox.ts';
import { commandLine } from './command-line.ts';

test('an order is walked from its recording to its settlement', async () => {
  const shop = await sandbox();
  const run = commandLine(shop);
  const { public_id: id } = await orderFor(shop);
  const statusAfter = async (line: string) => {
    const { code, json, stderr } = await run(`${line} --json`);
    expect({ code, stderr }, line).toEqual({ code: 0, stderr: '' });
    return json<OrderDetail>().status;
  };
  expect(await statusAfter(`orders hold ${id} --note odd`)).toBe('MANUAL_REVIEW');
  expect(await statusAfter(`orders clear ${id}`)).toBe('EXTERNALLY_PAID');
  expect(await statusAfter(`orders advance ${id}`)).toBe('TRANSFER_IN_PROGRESS');
  expect(await statusAfter(`orders advance ${id} --to TRANSFER_COMPLETED`)).toBe(
    'TRANSFER_COMPLETED',
  );
  expect((await run('settlements run')).stdout).toContain(id);
  expect(await statusAfter(`orders show ${id}`)).toBe('SETTLED');
  expect(await eventTypes(shop, id)).toEqual([
    'order.recorded',
    'order.manual_review_cleared',
    'order.transfer_started',
    'order.transfer_completed',
    'order.settled',
  ]);
  const shown = await run(`orders show ${id}`);
  expect(shown.stdout).toContain('odd');
  expect(shown.stdout).toContain('SETTLED');
});

test('a rejected move names the open ones and changes nothing', async () => {
  const shop = await sandbox();
  const run = commandLine(shop);
  const { public_id: id } = await orderFor(shop);
  await run(`orders refund ${id}`);
  const before = await readOrder(shop, id);
  for (const line of [
    `orders hold ${id}`,
    `orders cancel ${id}`,
    `orders advance ${id}`,
    `orders advance ${id} --to SETTLED`,
    `orders advance ${id} --action clear`,
  ]) {
    const { code, stderr, json } = await run(`${line} --json`);
    expect(code, line).toBe(1);
    expect(stderr, line).toContain('REFUNDED');
    expect(json(), line).toMatchObject({ error: { code: 'conflict' } });
  }
  expect(await readOrder(shop, id)).toEqual(before);
  expect(await eventTypes(shop, id)).toEqual(['order.recorded', 'order.refunded']);
});

test('why-not names the nearest route and the open moves', async () => {
  const shop = await sandbox();
  const { public_id: id } = await orderFor(shop);
  const { code, stdout } = await commandLine(shop)(`orders why-not ${id} --to SETTLED`);
  expect(code).toBe(0);
  for (const word of ['start_transfer', 'complete_transfer', 'settlements run', 'open moves']) {
    expect(stdout).toContain(word);
  }
});

test('lists are narrowed as asked', async () => {
  const shop = await sandbox();
  const run = commandLine(shop);
  const first = await orderFor(shop, 0);
  const second = await orderFor(shop, 1);
  await run(`orders refund ${second.public_id}`);
  const ids = async (line: string) =>
    (await run(`${line} --json`))
      .json<{ orders: OrderDetail[] }>()
      .orders.map((one) => one.public_id);
  expect(await ids('orders list')).toEqual([second.public_id, first.public_id]);
  expect(await ids('orders list --status refunded')).toEqual([second.public_id]);
  expect(await ids(`orders list --domain ${first.domain}`)).toEqual([first.public_id]);
  expect(await ids('orders list --partner ptr_other')).toEqual([]);
  expect(await ids('orders list --env LIVE')).toEqual([]);
  expect(await ids('orders list --from 2026-03-03')).toEqual([]);
});
