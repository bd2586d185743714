import { expect, test } from 'vitest';
import { endTree } from '../../src/server/end-tree.ts';

test('a command on Windows is ended with all that it started, by taskkill', async () => {
  const ran: [string, string[]][] = [];
  await endTree(42, 'win32', (file, args) => ran.push([file, args]));
  expect(ran).toEqual([['taskkill', ['/PID', '42', '/T', '/F']]]);
});

test('a command on Windows that has ended by itself is no failure', async () => {
  const gone = () => {
    throw new Error('the process "42" not found');
  };
  await expect(endTree(42, 'win32', gone)).resolves.toBeUndefined();
});
