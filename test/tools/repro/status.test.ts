import { expect, test } from 'vitest';
import { commandLine } from '../../cli/command-line.ts';
import { sandbox } from '../../support/sandbox.ts';

test('status says what is recorded, when that begins, or why nothing is recorded', async () => {
  const at = await sandbox({ recording: true });
  const status = commandLine(at);
  await at.control.delete('/requests');
  expect((await status('status')).stdout).toMatch(/^recording +begins with the next request$/m);
  await at.call({ method: 'GET', target: '/api/partner/v1/orders' });
  expect((await status('status')).stdout).toMatch(/^recording +1 request since 20\d\d-.*Z$/m);
  const off = commandLine(await sandbox({ recording: false }));
  expect((await off('status')).stdout).toMatch(/^recording +none: recording is off$/m);
});
