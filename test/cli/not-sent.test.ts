import { expect, test } from 'vitest';
import { sandbox } from '../support/sandbox.ts';
import { commandLine } from './command-line.ts';

test.each([
  ['request GET /api/partner/v1/orders --idempotency-key ключ', 'the request was not sent: '],
  ['worlds import /proc/self/mem', 'file: cannot read /proc/self/mem: '],
])('what cannot be sent is wrong usage: %s', async (line, message) => {
  const shop = await sandbox({ port: 0 });
  const { code, stderr } = await commandLine(shop, { fetch })(line);
  expect(code).toBe(2);
  expect(stderr).toMatch(`error: ${message}`);
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
