import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { sandbox } from '../support/sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';
import { commandLine } from './command-line.ts';

test('a device or a pipe is written to, not replaced by a file', async () => {
  const cwd = stateFolder();
  const pipe = path.join(cwd, 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  const read = fs.promises.readFile(pipe, 'utf8');
  const { code } = await commandLine(await sandbox(), { cwd })('inventory export pipe');
  expect(code).toBe(0);
  expect(await read).toMatch(/^domain,price_cents/);
  expect(fs.statSync(pipe).isFIFO()).toBe(true);
  expect(fs.readdirSync(cwd)).toEqual(['pipe']);
});

test('the target of a link is replaced, and the link stays', async () => {
  const cwd = stateFolder();
  fs.writeFileSync(path.join(cwd, 'names.csv'), 'old');
  fs.symlinkSync('names.csv', path.join(cwd, 'latest.csv'));
  const { code } = await commandLine(await sandbox(), { cwd })('inventory export latest.csv');
  expect(code).toBe(0);
  expect(fs.readlinkSync(path.join(cwd, 'latest.csv'))).toBe('names.csv');
  expect(fs.readFileSync(path.join(cwd, 'names.csv'), 'utf8')).toMatch(/^domain,price_cents/);
});

test.each([
  ['inventory export -', 'domain,price_cents'],
  ['worlds export default -', 'SQLite format 3'],
  ['golive export -', '{\n  "format"'],
  ['golive merge shard.json -o -', '{\n  "format"'],
  ['golive --init -', '{\n  "$schema"'],
  ['webhooks test --secret s --export -', '[\n  {'],
  ['repro export -', '\u001f\u008b'],
])('%s prints to stdout and writes no file', async (line, content) => {
  const cwd = stateFolder();
  const at = await sandbox();
  await at.control.post('/clock/freeze');
  await at.call({ method: 'GET', target: '/api/partner/v1/orders' });
  const run = commandLine(at, { cwd });
  if (line.includes('shard.json')) await run('golive export shard.json');
  const before = fs.readdirSync(cwd);
  for (const json of ['', ' --json']) {
    const { code, stdout, stderr } = await run(line + json);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error') });
    // --json selects another format of the inventory.
    const start = stdout.startsWith('{"domain"') ? '{"domain"' : content;
    expect(stdout.slice(0, start.length)).toBe(start);
  }
  expect(fs.readdirSync(cwd)).toEqual(before);
});

test('a world goes through a pipe, and not to a terminal', async () => {
  const run = commandLine(await sandbox());
  const { stdout, stderr } = await run('worlds export default -');
  expect(stderr).toMatch(/^Wrote \d+ bytes to stdout\. The file contains secrets\.\n$/);
  const bytes = Buffer.from(stdout, 'latin1');
  const into = commandLine(await sandbox({ defaultCredential: false }), { stdin: bytes });
  expect((await into('worlds import - --name w2')).stdout).toBe('Imported world w2\n');
  const shown = await run('worlds export default -', { isTTY: true, columns: 80 });
  expect(shown).toMatchObject({ code: 2, stdout: '' });
  expect(shown.stderr).toContain('<file>: stdout is a terminal; pass a file name');
});

test.each([
  ['golive --html -', '--html'],
  ['golive --junit -', '--junit'],
  ['webhooks test --secret s --url http://127.0.0.1:1 --junit -', '--junit'],
  ['exec --golive - -- true', '--golive'],
  ['exec --golive-json - -- true', '--golive-json'],
  ['exec --golive-junit - -- true', '--golive-junit'],
  ['exec --golive-export - -- true', '--golive-export'],
  ['exec --repro-on-failure - -- true', '--repro-on-failure'],
])('%s is rejected: stdout has the output of the command', async (line, option) => {
  const cwd = stateFolder();
  const { code, stderr } = await commandLine(await sandbox(), { cwd })(line);
  expect(code).toBe(2);
  expect(stderr).toContain(`error: ${option}: cannot be -; pass the name of a file\n`);
  expect(fs.readdirSync(cwd)).toEqual([]);
});
