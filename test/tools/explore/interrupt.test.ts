import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from '../../support/ports.ts';
import { BIN, emptyDirectory } from '../../support/sandlot-process.ts';
import { APPS, IS_FULL, NODE, run } from './apps.ts';
import { explore, lineOf, openWorkload, sell } from './explore.ts';

let sale: string[];
beforeAll(async () => {
  sale = await openWorkload((send) => sell(send));
});

/** The processes of a search, by a word of its own in their command lines. */
function processesWith(marker: string): string[] {
  const all = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n');
  return all.filter((line) => line.includes(marker) && !line.includes(' explore '));
}

/** An app that starts a child, a workload that leaves one behind, and what explore is told to do with them. */
async function search(cwd: string, marker: string) {
  const [port = 0] = await freePorts(1);
  const app = `
    const { spawn } = require('node:child_process');
    spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', '${marker}'], { stdio: 'ignore' });
    require('node:http').createServer((_, response) => response.end()).listen(${port});`;
  fs.writeFileSync(path.join(cwd, 'app.cjs'), app);
  const workload = `
    import { spawn } from 'node:child_process';
    spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', '${marker}'], { stdio: 'ignore' }).unref();
    const { call } = await import(${JSON.stringify(path.join(APPS, 'client.mjs'))});
    await call('GET', '/pricing', { query: { domain: 'auto-complete.test' } });`;
  fs.writeFileSync(path.join(cwd, 'work.mjs'), workload);
  const options = ['--settle', '0s', '--ready', `http://127.0.0.1:${port}/`, '--restart-app'];
  const commands = ['--app', `${lineOf(NODE, 'app.cjs', marker)} && echo`];
  return [...options, ...commands, '--reset', `true ${marker}`, '--', NODE, 'work.mjs', marker];
}

/** How many milliseconds after the first process was started the search is ended. */
const MOMENTS = IS_FULL ? Array.from({ length: 20 }, (_, n) => n * 97) : [200];

describe.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('%s', (signal) => {
  test.each(MOMENTS)('%i ms after the first process was started leaves none', async (ms) => {
    const cwd = emptyDirectory();
    const marker = `marker-${signal}-${ms}-${process.pid}`;
    const args = [BIN, 'explore', ...(await search(cwd, marker))];
    const { child, ended } = run([NODE, ...args], { cwd, env: process.env });
    await expect
      .poll(() => processesWith(marker).length, { timeout: 20_000, interval: 100 })
      .toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, ms));
    child.kill(signal);
    const { code, stdout, stderr } = await ended;
    await expect.poll(() => processesWith(marker), { timeout: 5_000, interval: 100 }).toEqual([]);
    if (signal === 'SIGKILL') return;
    expect(stdout, stderr).toMatch(/not run: interrupted/);
    expect(code).toBe(3);
  });
});

test('an interrupted search keeps what was found, and says what was not run', async () => {
  const cwd = emptyDirectory();
  const interruption = new AbortController();
  const { signal } = interruption;
  const printed = (text: string) => text.includes('✗') && interruption.abort();
  const only = ['--only', 'postOrder', 'call.lost_after', 'clock.*', '--settle', '0s'];
  const { code, out } = await explore(['--verbose', ...only, ...sale], { cwd, signal, printed });
  const findings = fs.readdirSync(path.join(cwd, '.sandlot/explore'));
  expect(findings.filter((name) => name.endsWith('.json'))).toHaveLength(1);
  expect(out).toMatch(/\d of \d not run: interrupted\./);
  expect(out).toMatch(/1 new finding/);
  expect(code).toBe(1);
});

test('a run that was interrupted is no finding', async () => {
  const cwd = emptyDirectory();
  const interruption = new AbortController();
  // The workload of the third run, the first with a fault, waits until it is killed.
  const workload = `echo >> runs; if [ $(wc -l < runs) -gt 2 ]; then sleep 1234; fi; ${lineOf(...sale.slice(1))}`;
  const options = ['--json', '--workload-must-pass', '--settle', '0s', '--only', 'postOrder'];
  const { signal } = interruption;
  const ended = explore([...options, '--', 'sh', '-c', workload], { cwd, signal });
  const runs = () => {
    const file = path.join(cwd, 'runs');
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').length : 0;
  };
  await expect.poll(runs, { timeout: 20_000 }).toBe(3);
  interruption.abort();
  const { code, report } = await ended;
  expect(report).toMatchObject({ findings: [], run: 0, not_run: { why: 'interrupted' } });
  expect(code).toBe(3);
  expect(fs.readdirSync(path.join(cwd, '.sandlot/explore'))).toEqual([]);
});
