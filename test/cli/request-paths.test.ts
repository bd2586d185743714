import { expect, test } from 'vitest';
import { sandbox } from '../support/sandbox.ts';
import { commandLine } from './command-line.ts';

const PATH = '/api/partner/v1/orders?limit=1';

test('request, sign and verify take a path without its first slash', async () => {
  const typed = PATH.slice(1);
  const run = commandLine(await sandbox());
  const sign = ['sign', 'GET', '--timestamp', '1767603600', '--nonce', 'n1', '--json'];
  const signed = await run([...sign, PATH]);
  expect((await run([...sign, typed])).stdout).toBe(signed.stdout);
  const { headers } = signed.json<{ headers: Record<string, string> }>();
  const verify = ['verify', '--method', 'GET', '--timestamp', '1767603600', '--nonce', 'n1'];
  const signature = headers['X-Service-Signature'] ?? '';
  expect(await run([...verify, '--signature', signature, '--path', typed])).toMatchObject({
    code: 0,
  });
  expect(await run(['request', 'GET', typed])).toMatchObject({ code: 0 });
});

test.each(['http://127.0.0.1:4010/api/partner/v1/orders', 'C:/Program Files/Git/v1/orders', ''])(
  'request rejects %j, which is not a path',
  async (typed) => {
    const run = commandLine(await sandbox());
    expect(await run(['request', 'GET', typed])).toMatchObject({ code: 2 });
  },
);
