import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { sandbox } from '../support/sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';
import { commandLine } from './command-line.ts';
import { expectNotPrinted } from './stdout-checks.ts';

test('a device or a pipe is written to, not replaced by a file', async () => {
  const cwd = stateFolder();
  const pipe = path.join(cwd, 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  const read = fs.promises.readFile(pipe, 'latin1');
  expect((await commandLine(await sandbox(), { cwd })('worlds export default pipe')).code).toBe(0);
  expect(await read).toMatch(/^SQLite format 3/);
  expect(fs.statSync(pipe).isFIFO()).toBe(true);
  expect(fs.readdirSync(cwd)).toEqual(['pipe']);
});

test('an exported world goes into another sandbox through a pipe', async () => {
  const cwd = stateFolder();
  fs.writeFileSync(path.join(cwd, 'w.db.part'), 'of another program');
  await commandLine(await sandbox(), { cwd })('worlds export default w.db');
  expect(fs.readdirSync(cwd)).toEqual(['w.db', 'w.db.part']);
  const stdin = fs.readFileSync(path.join(cwd, 'w.db'));
  const into = commandLine(await sandbox({ defaultCredential: false }), { stdin });
  expect((await into('worlds import - --name w2')).stdout).toBe('Imported world w2\n');
});

test('worlds export to - is wrong usage', () =>
  expectNotPrinted('worlds export default -', '<file>'));

test('init replaces a file only with --force, and then as a whole', async () => {
  const cwd = stateFolder();
  const run = commandLine(undefined, { cwd });
  const file = path.join(cwd, 'sandlot.config.json');
  fs.writeFileSync(file, '{}');
  fs.linkSync(file, `${file}.old`);
  expect(await run('init')).toMatchObject({ code: 2, stdout: '' });
  expect(await run('init --force')).toMatchObject({ code: 0, stderr: '' });
  expect(fs.readFileSync(`${file}.old`, 'utf8')).toBe('{}');
  expect((await run('init', { cwd: 'x'.repeat(300) })).stderr).toMatch(/: its name is too long$/m);
});
