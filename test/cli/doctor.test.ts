import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Fetch } from '../../src/client/fetch.ts';
import type { InProcessSandbox } from '../../src/index.ts';
import { lockState } from '../../src/sandbox/state-lock.ts';
import { writeServerRecord } from '../../src/server/record.ts';
import { resolving } from '../support/name-service.ts';
import { deadUrl, receiver, register, withReceiver } from '../support/receiver.ts';
import { testRuntime } from '../support/runtime.ts';
import { sandbox, sandboxWithRuntime } from '../support/sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';
import { type CommandLineOptions, commandLine, nobodyThere } from './command-line.ts';

interface Report {
  ok: boolean;
  checks: { check: string; status: string; detail: string; hint: string | null }[];
}

type Io = CommandLineOptions & { shop?: InProcessSandbox; args?: string };

/** Runs the command, and returns its exit code and one of its checks. */
async function examine(name: string, { shop, args = '--port 0', ...io }: Io) {
  const { code, json } = await commandLine(shop, io)(`doctor ${args} --json`);
  const { ok, checks } = json<Report>();
  return { code, ok, found: checks.find(({ check }) => check === name) };
}

test('beside a sandbox that is well, every check is ok, and no webhook is sent', async () => {
  const { at: shop, hook } = await withReceiver();
  const { code, json, stderr } = await commandLine(shop)('doctor --port 0 --json');
  const { ok, checks } = json<Report>();
  expect(checks.map(({ check, status }) => [check, status])).toEqual(
    ['version', 'port', 'state', 'clock', 'receiver'].map((check) => [check, 'ok']),
  );
  expect({ code, ok, stderr }).toEqual({ code: 0, ok: true, stderr: '' });
  expect(hook.received).toEqual([]);
});

test('no running sandbox is a warning, and the check creates no files', async () => {
  const cwd = stateFolder();
  const found = { status: 'warning', hint: 'start a sandbox with: sandlot start' };
  expect(await examine('version', { cwd })).toMatchObject({ code: 0, ok: true, found });
  expect(fs.readdirSync(cwd)).toEqual([]);
});

test('a failed check of what the configuration names is printed with what to do next, and exits 1', async () => {
  const config = path.join(stateFolder(), 'config.json');
  fs.writeFileSync(config, JSON.stringify({ port: 0, data_dir: config }));
  const { code, stdout } = await commandLine()(`doctor --config ${config}`);
  expect(code).toBe(1);
  expect(stdout).toMatch(/ok +port +any free port\nfailure +state .*\n +→ use another --data-dir/);
  fs.writeFileSync(config, JSON.stringify({ host: '192.0.2.1', port: 4010 }));
  const { stdout: foreign } = await commandLine()(`doctor --config ${config}`);
  expect(foreign).toMatch(/failure +port +192\.0\.2\.1:4010 is not available \(EADDRNOTAVAIL\)/);
});

test('a receiver whose name leads to a forbidden address is not connected to', async () => {
  const shop = await sandbox();
  await register(shop, (await receiver()).url.replace('127.0.0.1', 'meta.example'));
  resolving({ 'meta.example': ['169.254.169.254'] });
  const { stdout } = await commandLine(shop)('doctor --port 0');
  expect(stdout).toContain('of local in SANDBOX cannot be reached (FORBIDDEN_ADDRESS)');
});

test('a receiver that does not run is a warning', async () => {
  const shop = await sandbox();
  const url = `${await deadUrl()}/it's`;
  const run = commandLine(shop);
  await run('worlds create w1');
  await run(['webhooks', 'register', '--world', 'w1', '--secret', 's1', '--url', url]);
  const { code, stdout } = await run(`doctor --port 0 --world w1 --url ${shop.url}`);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^warning +receiver /m);
  expect(stdout).toContain(`${url} of local in SANDBOX cannot be reached (ECONNREFUSED)`);
  const [, suggested = ''] = /\n +→ start the receiver, or .*sandlot (.*)\n/.exec(stdout) ?? [];
  expect(suggested).toContain(` --url ${shop.url} --world w1`);
  expect(await run(suggested)).toMatchObject({ code: 0 });
  expect(await shop.control.in('w1').get('/webhooks')).toMatchObject({ webhooks: [] });
});

test.each([
  [{}, 'failure', 'another program'],
  [{ pid: 7 }, 'ok', 'sandlot with pid 7'],
  [{ error: { code: 'missing_credentials' } }, 'ok', 'sandlot with a control token'],
])('a port in use where the status is %j is %s', async (body, status, user) => {
  const { port } = new URL((await receiver()).url);
  const fetch: Fetch = async (url) => (url.includes(port) ? Response.json(body) : nobodyThere(url));
  const detail = `127.0.0.1:${port} is in use by ${user}`;
  const code = status === 'failure' ? 1 : 0;
  const result = await examine('port', { fetch, args: `--port ${port}` });
  expect(result).toMatchObject({ code, found: { status, detail } });
});

test.each<[string, (dir: string) => unknown, RegExp]>([
  ['a file', (dir) => fs.writeFileSync(dir, ''), /is not a folder/],
  ['locked', (dir) => onTestFinished(lockState(dir)), /is in use by another sandlot/],
  [
    'damaged',
    (dir) => {
      fs.mkdirSync(path.join(dir, 'worlds'), { recursive: true });
      fs.writeFileSync(path.join(dir, 'worlds/default.db'), 'no database at all'.repeat(10));
    },
    /default\.db cannot be used: it is damaged/,
  ],
])('a state folder that is %s is a failure', async (_what, prepare, detail) => {
  const cwd = stateFolder();
  prepare(path.join(cwd, '.sandlot'));
  const found = { status: 'failure', detail: expect.stringMatching(detail) };
  expect(await examine('state', { cwd })).toMatchObject({ code: 1, found });
});

test('a state folder below a file is a failure, even if the configuration has "ephemeral"', async () => {
  const config = path.join(stateFolder(), 'config.json');
  fs.writeFileSync(config, '{ "ephemeral": true }');
  const args = `--port 0 --config ${config} --data-dir ${config}/state`;
  expect((await examine('state', { args })).found).toMatchObject({ status: 'failure' });
});

test('an address of another machine is a failure', async () => {
  const config = path.join(stateFolder(), 'config.json');
  fs.writeFileSync(config, '{ "host": "192.0.2.1" }');
  const found = { status: 'failure', detail: expect.stringContaining('EADDRNOTAVAIL') };
  expect(await examine('port', { args: `--config ${config}` })).toMatchObject({ code: 1, found });
});

test('the state of a running server is in use, and that of a killed one is not, even if its record says so', async () => {
  const cwd = stateFolder();
  const dataDir = path.join(cwd, '.sandlot');
  const unlock = lockState(dataDir);
  // A killed process exists until its parent has read its exit code.
  const record = { url: 'http://127.0.0.1:1', pid: process.pid, started_at: '2026-03-02T09:00Z' };
  writeServerRecord(record, { dataDir });
  const state = async () => (await examine('state', { cwd })).found;
  const inUse = `${dataDir}, in use by the sandbox with pid ${process.pid}`;
  expect(await state()).toMatchObject({ status: 'ok', detail: inUse });
  unlock();
  expect(await state()).toMatchObject({ status: 'ok', detail: `${dataDir}, 0 worlds` });
});

test.each([
  [30, 'ok'],
  [-90, 'warning'],
  [400, 'failure'],
])('clocks that are %i s apart are %s, even if receivers are slow', async (seconds, status) => {
  const { at: shop, runtime } = await sandboxWithRuntime();
  const mine = testRuntime(runtime.time + seconds * 1_000);
  const fetch: Fetch = (url, init) => {
    if (url.includes('/webhooks')) mine.time += 3_600_000;
    return shop.fetch(url, init);
  };
  const { found } = await examine('clock', { shop, runtime: mine, fetch });
  expect(found).toMatchObject({ status });
});

test('a sandbox of another version is a warning', async () => {
  const shop = await sandbox();
  const older: Fetch = async (url, init) => {
    const response = await shop.fetch(url, init);
    if (!url.includes('/_sandbox/status')) return response;
    return Response.json({ ...((await response.json()) as object), version: '0.0.1' });
  };
  const found = { status: 'warning', detail: expect.stringContaining('version 0.0.1') };
  expect(await examine('version', { shop, fetch: older })).toMatchObject({ found });
});
