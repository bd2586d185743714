import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Fetch } from '../../src/client/fetch.ts';
import { type ServerRecord, writeServerRecord } from '../../src/server/record.ts';
import { withOrder } from '../support/orders.ts';
import { testRuntime } from '../support/runtime.ts';
import { sandbox } from '../support/sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';
import { commandLine, nobodyThere } from './command-line.ts';

const RECORD = {
  url: 'http://127.0.0.1:4711',
  pid: process.pid,
  started_at: '2026-03-02T09:00:00.000Z',
};

const healthy: Fetch = async () => Response.json({ status: 'ok' });

function recordIn(dataDir: string, record: ServerRecord = RECORD): void {
  fs.mkdirSync(dataDir);
  writeServerRecord(record, { dataDir });
}

test('--url, else SANDLOT_URL, else the sandbox that was started in the folder, else the default', async () => {
  const cwd = stateFolder();
  const fetch = vi.fn(healthy);
  const run = commandLine(undefined, { cwd, fetch });
  await run('clock --json');
  const dataDir = path.join(cwd, '.sandlot');
  recordIn(dataDir);
  // As where a system lets no program read them.
  vi.spyOn(os, 'networkInterfaces').mockImplementationOnce(expect.unreachable);
  await run('clock --json');
  const env = { SANDLOT_URL: 'http://127.0.0.1:4713' };
  await run('clock --json', { env });
  await run('clock --json --url http://127.0.0.1:4714/', { env });
  const stored = JSON.parse(fs.readFileSync(path.join(dataDir, 'server.json'), 'utf8'));
  const foreign = JSON.stringify({ ...stored, url: 'http://192.0.2.1:4715' });
  const undated = JSON.stringify({ ...stored, started_at: undefined });
  for (const text of ['null', foreign, undated]) {
    for (const name of ['server', 'started']) fs.writeFileSync(`${dataDir}/${name}.json`, text);
    await run('clock --json');
  }
  const ports = fetch.mock.calls.map(([url]) => Number(new URL(url).port));
  expect(ports).toEqual([4010, 4711, 4713, 4714, 4010, 4010, 4711]);
  const removeRecord = () => fs.rmSync(dataDir, { recursive: true, force: true });
  fetch.mockImplementation((url) => healthy(url).finally(removeRecord));
  const interruption = () => new AbortController().signal;
  const { stderr } = await run('logs --follow --limit 0', { interruption });
  expect(stderr).toContain(`no sandbox responds at ${RECORD.url}\n`);
});

test('a suggested command reaches the same sandbox and world', async () => {
  const { at: shop, public_id: id } = await withOrder();
  const run = commandLine(shop);
  const options = `--url ${shop.url} --world default`;
  const stderrOf = async (line: string) => (await run(`${line} ${options}`)).stderr;
  const rejected = await stderrOf(`orders advance ${id} --to SETTLED`);
  expect(rejected).toContain(`\`sandlot settlements run ${options}\``);
  const unsigned = await run(`request GET /api/partner/v1/orders ${options} --world w1`);
  expect(unsigned.stderr).toContain(`"sandlot credentials create --url ${shop.url} --world w1"`);
  expect(await stderrOf('webhooks listen --port 0')).toContain(`"}' ${options}`);
  expect(await stderrOf(`worlds import ${import.meta.filename}`)).toContain('"sandlot worlds');
});

test('the control token is sent to the control API', async () => {
  const fetch = vi.fn(healthy);
  const run = commandLine(undefined, { fetch });
  await run('clock --json');
  await run('clock --json', { env: { SANDLOT_CONTROL_TOKEN: 'from-env' } });
  await run('clock --json --control-token given', { env: { SANDLOT_CONTROL_TOKEN: 'from-env' } });
  const tokens = fetch.mock.calls.map(([, init]) => init?.headers?.Authorization);
  expect(tokens).toEqual([undefined, 'Bearer from-env', 'Bearer given']);
});

/** Real time that passes only during a sleep. */
function patientRuntime() {
  const runtime = testRuntime();
  return { ...runtime, monotonic: () => runtime.elapsed.reduce((sum, ms) => sum + ms, 0) };
}

test('wait --ready gives up after its timeout, with exit code 3', async () => {
  const fetch = vi.fn(nobodyThere);
  const run = commandLine(undefined, { fetch, runtime: patientRuntime() });
  const { code, stderr } = await run('wait --ready --timeout 1s');
  expect(code).toBe(3);
  expect(stderr).toContain('no sandbox responds');
  expect(fetch).toHaveBeenCalledTimes(11);
});

test('wait --ready finds a sandbox that comes up meanwhile, wherever that is', async () => {
  const cwd = stateFolder();
  const fetch = vi.fn<Fetch>(async (url) => {
    if (fetch.mock.calls.length === 3) recordIn(path.join(cwd, '.sandlot'));
    return url.startsWith(RECORD.url) ? healthy(url) : nobodyThere(url);
  });
  const run = commandLine(undefined, { cwd, fetch, runtime: patientRuntime() });
  const { code, json } = await run('wait --ready --json');
  expect(code).toBe(0);
  expect(json()).toEqual({ ready: true, url: RECORD.url });
});

test('a wait that times out reports what it saw', async () => {
  const run = commandLine(await sandbox());
  const { code, stderr } = await run('wait event order.settled --timeout 0s');
  expect(code).toBe(1);
  expect(stderr).toContain('found 0; saw nothing of the kind');
  expect((await run('wait order ord_none --state SETTLED --timeout 0s')).code).toBe(1);
  expect((await run('wait webhook order.settled --exactly 0 --timeout 0s')).code).toBe(0);
  expect((await run('idle --timeout 5m')).code).toBe(2);
});
