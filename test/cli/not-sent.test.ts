import { expect, test } from 'vitest';
import { sandbox } from '../support/sandbox.ts';
import { commandLine } from './command-line.ts';

test('a request with an Idempotency-Key that no header can have was not sent', async () => {
  const shop = await sandbox({ port: 0 });
  const run = commandLine(shop, { fetch });
  const words = ['request', 'GET', '/api/partner/v1/orders', '--idempotency-key', 'ключ'];
  expect(await run(words)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error: the request was not sent: \S/),
  });
  expect(await shop.control.get('/requests')).toMatchObject({ requests: [] });
});

test.each([
  ['http://user:pa55word@127.0.0.1:4010', 'has a user name or password, which fetch does not send'],
  ['http://user:pa55word@127.0.0.1:4010/?q', 'is not the URL of a sandbox'],
  ['http://127.0.0.1:4010/_sandbox/', 'has a path'],
])('--url %s is wrong usage, and the password is not printed', async (url, problem) => {
  const finished = await commandLine()(['orders', 'list', '--url', url]);
  expect(finished).toMatchObject({ code: 2, stderr: expect.stringContaining(`" ${problem}; `) });
  expect(finished.stderr).not.toContain('pa55word');
});
