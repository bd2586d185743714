import { expect, test } from 'vitest';
import { checkoutSale } from '../support/money.ts';
import { magic, orderFor } from '../support/orders.ts';
import { sandbox } from '../support/sandbox.ts';
import { commandLine } from './command-line.ts';

test.each([
  ['orders list --partner nobody', 'no orders', 'no orders with --partner nobody\n'],
  ['orders list --partner local --domain none', 'no orders', 'no orders with --domain none\n'],
  [
    'orders list --partner nobody --status SETTLED',
    'no orders',
    'no orders with --status SETTLED\nno orders with --partner nobody\n',
  ],
  [
    'orders list --status MANUAL_REVIEW --domain sold',
    'no orders',
    'no orders with --domain sold\n',
  ],
  [
    'checkout list --domain other.test',
    'no checkout sessions',
    'no checkout sessions with --domain other.test\n',
  ],
  ['events list --for ord_1', 'no events', 'no events with --for ord_1\n'],
])('%s says which filter nothing meets', async (line, stdout, stderr) => {
  const at = await sandbox();
  await orderFor(at, magic('held-order', 250_000));
  await checkoutSale(at);
  expect(await commandLine(at)(line)).toMatchObject({ code: 0, stdout: `${stdout}\n`, stderr });
});

test('an empty list without filters, or after the last page, says nothing about filters', async () => {
  const at = await sandbox();
  expect(await commandLine(at)('orders list')).toMatchObject({ stdout: 'no orders\n', stderr: '' });
});

test('filters that items meet, but none all of them, are said to be too narrow together', async () => {
  const at = await sandbox();
  await orderFor(at, magic('held-order', 250_000));
  await orderFor(at, 0);
  const { stderr } = await commandLine(at)('orders list --status EXTERNALLY_PAID --domain held');
  expect(stderr).toBe('no orders match all of these filters together\n');
});

test('tables name the partner, and details its ID too', async () => {
  const at = await sandbox();
  const { public_id } = await orderFor(at);
  const run = commandLine(at);
  expect((await run('transactions list')).stdout).toMatch(/PARTNER.*\n.* local /);
  const { stdout } = await run(`orders show ${public_id}`);
  expect(stdout).toMatch(/^partner +local$/m);
  expect(stdout).toMatch(/^partner id +ptr_local$/m);
});
