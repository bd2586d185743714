import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { commandLine } from '../../cli/command-line.ts';
import { expectNotPrinted, expectPrinted } from '../../cli/stdout-checks.ts';
import { command } from '../../support/command-server.ts';
import { BIN, emptyDirectory, sandlot, startProcess } from '../../support/sandlot-process.ts';

const COMMAND = `"${process.execPath}" "${BIN}"`;

test('a file of a running server replays in another folder, and the server keeps its state', async () => {
  const cwd = emptyDirectory();
  const { url } = await startProcess(cwd, '--inventory', '50');
  const env = { ...process.env, SANDLOT_URL: url };
  await command(cwd, ['request', 'GET', '/api/partner/v1/orders?jane%40company.com'], env);
  await command(cwd, ['clock', 'advance', '11m'], env);
  const exported = await command(cwd, ['repro', 'export', 'bug.repro.gz', '--json'], env);
  expect(exported).toMatchObject({ status: 0, stderr: `sandbox: ${url}\n` });
  expect(JSON.parse(exported.stdout)).toMatchObject({ verified: true, file: 'bug.repro.gz' });
  const elsewhere = emptyDirectory();
  const file = path.join(cwd, 'bug.repro.gz');
  expect(sandlot(elsewhere, ['repro', 'replay', file])).toMatchObject({ status: 0, stderr: '' });
  const shown = await command(elsewhere, ['repro', 'show', file]);
  expect(shown).toMatchObject({ status: 0 });
  expect(shown.stdout).not.toContain('company.com');
  expect(fs.readdirSync(elsewhere)).toEqual([]);
});

test('a failing exec that resets leaves a file that replays, and keeps its exit code', () => {
  const cwd = emptyDirectory();
  const request = `${COMMAND} request GET "/api/partner/v1/domains/search?q=a"`;
  const reset = 'curl -fsX POST "$SANDLOT_URL/_sandbox/reset"';
  const run = (file: string, script: string) =>
    sandlot(cwd, [
      ...['exec', '--inventory', '50', '--repro-on-failure', file],
      ...['--', 'sh', '-c', script],
    ]);
  const failed = run('failure.repro.gz', `${request}; ${reset}; ${request}; exit 7`);
  expect(failed.status).toBe(7);
  expect(failed.stderr).toMatch(/^repro: wrote failure\.repro\.gz \(\d+ requests?\)$/m);
  expect(sandlot(cwd, ['repro', 'replay', 'failure.repro.gz'])).toMatchObject({ status: 0 });
  const unwritable = run('missing/failure.repro.gz', `${reset}; exit 7`);
  expect(unwritable.status).toBe(7);
  expect(unwritable.stderr).toMatch(/^repro: missing\/failure\.repro\.gz was not written: /m);
});

test('an exec that succeeds leaves no file', () => {
  const cwd = emptyDirectory();
  const { status } = sandlot(cwd, [
    ...['exec', '--inventory', '5', '--repro-on-failure', 'failure.repro.gz'],
    ...['--', 'true'],
  ]);
  expect({ status, files: fs.readdirSync(cwd) }).toEqual({ status: 0, files: [] });
});

test('repro export - prints to stdout and writes no file', () =>
  expectPrinted('repro export -', '\u001f\u008b'));

test('exec --repro-on-failure - is rejected: stdout has the output of the command', () =>
  expectNotPrinted('exec --repro-on-failure - -- true', '--repro-on-failure'));

test('repro export to a folder that does not exist is wrong usage', async () => {
  const { code, stderr } = await commandLine()('repro export none/x.gz');
  expect(code).toBe(2);
  expect(stderr).toContain('<file>: cannot write none/x.gz: folder not found');
});

test('repro open serves the state after a request, with a frozen clock', async () => {
  const cwd = emptyDirectory();
  const { url } = await startProcess(cwd, '--inventory', '50');
  const env = { ...process.env, SANDLOT_URL: url };
  for (const by of ['1m', '2m']) await command(cwd, ['clock', 'advance', by], env);
  await command(cwd, ['repro', 'export', 'bug.repro.gz'], env);
  expect(await command(cwd, ['repro', 'open', 'bug.repro.gz', '--at', '999'])).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(
      /^error: --at: the file has no request 999; its requests are 1 to \d+$/m,
    ),
  });
  const open = spawn(process.execPath, [BIN, 'repro', 'open', 'bug.repro.gz', '--json'], { cwd });
  onTestFinished(() => void open.kill('SIGKILL'));
  let printed = '';
  for await (const chunk of open.stdout) {
    printed += chunk;
    if (printed.trimEnd().endsWith('}')) break;
  }
  const served: { url: string; at: number } = JSON.parse(printed);
  const status = await fetch(`${served.url}/_sandbox/clock`);
  expect(await status.json()).toMatchObject({ frozen: true });
});
