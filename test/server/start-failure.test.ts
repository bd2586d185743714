import { expect, test } from 'vitest';
import { explainStartFailure } from '../../src/server/start-failure.ts';
import { nobodyThere } from '../cli/command-line.ts';

test.each([
  [
    "EACCES: permission denied, mkdir '/x'",
    { code: 'EACCES', path: '/x' },
    'permission denied: /x; choose another folder with --data-dir, or keep the state in memory with --ephemeral',
  ],
  [
    'listen EACCES: permission denied 127.0.0.1:80',
    { code: 'EACCES', address: '127.0.0.1', port: 80 },
    'permission denied: 127.0.0.1:80',
  ],
  [
    'getaddrinfo ENOTFOUND nowhere',
    { code: 'ENOTFOUND', hostname: 'nowhere' },
    'host: this name has no address: nowhere',
  ],
])('a start that fails with "%s" gives the reason once', async (message, fields, expected) => {
  const error = Object.assign(new Error(message), fields);
  expect(await explainStartFailure(error, nobodyThere)).toBe(expected);
});
