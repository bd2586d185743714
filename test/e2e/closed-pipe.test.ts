import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ControlClient } from '../../src/client/control-client.ts';
import { DEFAULT_DATA_DIR, startServer } from '../../src/server/start-server.ts';
import { BIN, emptyDirectory } from '../support/sandlot-process.ts';

/** Starts a server in this process; commands in its folder find it. */
async function serve() {
  const cwd = emptyDirectory();
  const server = await startServer({
    data_dir: path.join(cwd, DEFAULT_DATA_DIR),
    port: 0,
    inventory: 20,
    frozen_at: '2026-03-02T09:00:00Z',
  });
  onTestFinished(() => server.close());
  return { cwd, server };
}

/** Runs the built command; the readers of its output end before it prints. @returns its exit code */
function runUnread(cwd: string, args: readonly string[]): Promise<number | null> {
  const child = spawn(process.execPath, [BIN, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdout.destroy();
  child.stderr.destroy();
  return new Promise((resolve) => child.once('exit', resolve));
}

test.each([
  [0, ['orders', 'list']],
  [0, ['inventory', 'export']],
  [1, ['golive', '--gate', 'gate.json', '--json']],
  [1, ['orders', 'show', 'ord_none']],
  [1, ['clock', 'until', 'event', 'order.settled']],
  [1, ['wait', 'event', 'order.settled', '--timeout', '1ms']],
  [1, ['request', 'GET', '/api/partner/v1/orders/ord_none']],
  [1, ['webhooks', 'fire', 'order.settled', '--url', 'http://127.0.0.1:1', '--secret', 's']],
  [1, ['webhooks', 'test', '--url', 'http://127.0.0.1:1', '--secret', 's', '--json']],
  [1, ['exec', '--gate', 'gate.json', '--', process.execPath, '-e', '']],
  [7, ['exec', '--', process.execPath, '-e', 'process.exit(7)']],
  [2, ['orders', 'lsit']],
  [3, ['status', '--url', 'http://127.0.0.1:1']],
])('the exit code is %i for sandlot %j, also if nothing reads the output', async (code, args) => {
  const { cwd } = await serve();
  fs.writeFileSync(
    path.join(cwd, 'gate.json'),
    '{ "items_version": 1, "require": ["sale.lost_response"] }',
  );
  expect(await runUnread(cwd, args)).toBe(code);
});

test('output without an end ends with its reader, and a receiver unregisters', async () => {
  const { cwd, server } = await serve();
  const control = new ControlClient({ baseUrl: server.url, fetch });
  await control.post('/clock/freeze');
  expect(await runUnread(cwd, ['logs', '--follow'])).toBe(0);
  expect(await runUnread(cwd, ['webhooks', 'listen', '--register', '--json'])).toBe(0);
  const { requests } = await control.get<{ requests: object[] }>('/requests', { api: 'partner' });
  expect(requests).toMatchObject([{ method: 'PUT', status: 200 }]);
  expect(await control.get('/webhooks')).toMatchObject({ webhooks: [] });
});
