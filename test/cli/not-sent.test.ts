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
  'http://user:pa55word@127.0.0.1:4010',
  'http://127.0.0.1:4010/?q=pa55word',
  'http://127.0.0.1:4010/_sandbox/',
  'ftp://127.0.0.1:4010',
])('--url %s is wrong usage, and a password is not printed', async (url) => {
  const finished = await commandLine()(['orders', 'list', '--url', url]);
  expect(finished).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--url: not the URL of a sandbox; expected one without a path'),
  });
  expect(finished.stderr).not.toContain('pa55word');
});
