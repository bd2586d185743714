import { expect, test } from 'vitest';
import { sandbox } from '../support/sandbox.ts';
import { commandLine } from './command-line.ts';

test.each([
  'http://127.0.0.1:4010/api/partner/v1/orders',
  'C:/Program Files/Git/v1/orders',
  'v1/orders',
  '',
])('request rejects %j, which is not a path', async (typed) => {
  const run = commandLine(await sandbox());
  expect(await run(['request', 'GET', typed])).toMatchObject({ code: 2 });
});
