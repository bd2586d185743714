import { expect, test } from 'vitest';
import { explainStartFailure } from '../../src/server/start-failure.ts';
import { nobodyThere } from '../cli/command-line.ts';

test.each([
  [
    "EACCES: permission denied, mkdir '/x'",
    { code: 'EACCES', path: '/x' },
    /^EACCES: permission denied, mkdir '\/x'; choose another folder with --data-dir, or /,
  ],
  ['disk I/O error', { code: 'SQLITE_IOERR_SHMSIZE' }, /^disk I\/O error; free disk space, or /],
  ['getaddrinfo ENOTFOUND x', { code: 'ENOTFOUND', syscall: 'getaddrinfo' }, / x; .* --host or /],
])('a start that fails with "%s" says so', async (message, fields, expected) => {
  const error = Object.assign(new Error(message), fields);
  expect(await explainStartFailure(error, nobodyThere)).toMatch(expected);
});
