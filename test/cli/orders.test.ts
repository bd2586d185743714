import { expect, test } from 'vitest';
import { eventTypes, type OrderDetail, orderFor, withOrder } from '../support/orders.ts';
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

test('why-not names the nearest route and the open moves', async () => {
  const { at: shop, public_id: id } = await withOrder();
  const { code, stdout } = await commandLine(shop)(`orders why-not ${id} --to SETTLED`);
  expect(code).toBe(0);
  for (const word of ['start_transfer', 'complete_transfer', 'settlements run', 'open moves']) {
    expect(stdout).toContain(word);
  }
});
