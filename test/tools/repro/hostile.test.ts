import dns from 'node:dns';
import net from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openRepro } from '../../../src/tools/repro/open-file.ts';
import { replayFile } from '../../../src/tools/repro/replay-file.ts';
import { readRepro, writeRepro } from '../../../src/tools/repro/repro-lines.ts';
import { withAttempt } from '../../support/receiver.ts';
import { message, sampleRequest } from './sample-repro.ts';

async function exported() {
  const { at, hook } = await withAttempt();
  const { bytes } = await at.exportRepro({ keepPersonalData: true, last: 1 });
  return { hook, repro: readRepro(bytes) };
}

test('webhook URLs, headers, paths and names of a stranger reach no socket and no name server', async () => {
  const { hook, repro } = await exported();
  const received = hook.received.length;
  const connect = vi.spyOn(net.Socket.prototype, 'connect');
  const lookup = vi.spyOn(dns, 'lookup');
  onTestFinished(() => void vi.restoreAllMocks());
  for (const target of [
    '/domains/search?'.repeat(200_000),
    '/_sandbox/../../etc/passwd',
    '//evil.example/_sandbox/health',
    'http://evil.example/',
    '/_sandbox/worlds/..%2f..%2fx/export',
    '/_sandbox/reference/assets/0/..%2f..%2fpackage.json',
    '/\u0000',
  ]) {
    const n = repro.requests.length + 1;
    const request = message(null, [
      ['Host', 'evil.example'],
      ['X-Service-Key-Id', '../x'],
    ]);
    repro.requests.push(sampleRequest(n, { runs: [], target, method: 'GET', request }));
  }
  await replayFile(await readRepro(writeRepro(repro)));
  expect(hook.received).toHaveLength(received);
  expect(connect).not.toHaveBeenCalled();
  expect(lookup).not.toHaveBeenCalled();
});

test('a world that is opened beyond a divergence says from which request on, and takes no address or other name from the file', async () => {
  const { repro } = await exported();
  for (const { start } of repro.requests) start.baseUrl = 'http://evil.example';
  const last = repro.requests.findLast(({ api }) => api === 'partner');
  if (!last) throw new Error('no request');
  last.status = 299;
  const opened = await openRepro(repro, last.n);
  const { status } = await opened.sandbox.app.request('http://evil.example/_sandbox/status');
  expect(status).toBe(403);
  expect(opened.sandbox.status().url).not.toContain('evil.example');
  await opened.sandbox.close();
  expect(opened.diverged).toBe(last.n);
  for (const { table, values } of repro.state) if (table === 'world') values.name = '../x';
  await expect(openRepro(repro)).rejects.toThrow('the row of table world has another name');
});
