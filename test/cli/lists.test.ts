import { expect, test } from 'vitest';
import { withOrder } from '../support/orders.ts';
import { sandbox } from '../support/sandbox.ts';
import { commandLine } from './command-line.ts';

test.each([
  ['orders list --partner nobody', 'no orders'],
  ['checkout list --domain other.test', 'no checkout sessions'],
  ['events list --for ord_1', 'no events'],
])('%s says that there is nothing', async (line, stdout) => {
  const at = await sandbox();
  expect(await commandLine(at)(line)).toMatchObject({ code: 0, stdout: `${stdout}\n`, stderr: '' });
});

test('tables name the partner, and details its ID too', async () => {
  const { at, public_id } = await withOrder();
  const run = commandLine(at);
  expect((await run('transactions list')).stdout).toMatch(/PARTNER.*\n.* local /);
  const { stdout } = await run(`orders show ${public_id}`);
  expect(stdout).toMatch(/^partner +local$/m);
  expect(stdout).toMatch(/^partner id +ptr_local$/m);
});
