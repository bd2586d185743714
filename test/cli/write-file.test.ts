import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { sandbox } from '../support/sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';
import { commandLine } from './command-line.ts';
import { expectPrinted } from './stdout-checks.ts';

test('a device or a pipe is written to, not replaced by a file', async () => {
  const cwd = stateFolder();
  const pipe = path.join(cwd, 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  const read = fs.promises.readFile(pipe, 'latin1');
  const { code } = await commandLine(await sandbox(), { cwd })('worlds export default pipe');
  expect(code).toBe(0);
  expect(await read).toMatch(/^SQLite format 3/);
  expect(fs.statSync(pipe).isFIFO()).toBe(true);
  expect(fs.readdirSync(cwd)).toEqual(['pipe']);
});

test('worlds export to - prints to stdout and writes no file', () =>
  expectPrinted('worlds export default -', 'SQLite format 3'));

test('a world goes through a pipe, and not to a terminal', async () => {
  const run = commandLine(await sandbox());
  const { stdout, stderr } = await run('worlds export default -');
  expect(stderr).toBe('Wrote the world to stdout. It contains secrets.\n');
  const bytes = Buffer.from(stdout, 'latin1');
  const into = commandLine(await sandbox({ defaultCredential: false }), { stdin: bytes });
  expect((await into('worlds import - --name w2')).stdout).toBe('Imported world w2\n');
  const shown = await run('worlds export default -', { isTTY: true, columns: 80 });
  expect(shown).toMatchObject({ code: 2, stdout: '' });
  expect(shown.stderr).toContain('<file>: stdout is a terminal; pass a file name');
});
