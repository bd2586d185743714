import { expect, onTestFinished, test } from 'vitest';
import { systemRuntime } from '../../src/kernel/runtime.ts';
import { LogEntryBuilder } from '../../src/requests/entry-builder.ts';
import { REQUEST_IDS } from '../../src/requests/log-entry.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import { registerWebhook } from '../../src/webhooks/registrations.ts';
import { loggedIds } from '../support/request-log.ts';
import { sandboxOnDisk } from '../support/sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';

async function open(requestLog?: number, dataDir?: string) {
  const shop = await openSandbox({ inventory: 5, requestLog, dataDir });
  onTestFinished(shop.close);
  const { requests, worlds } = shop;
  const world = worlds.require('default');
  const other = worlds.find('other') ?? worlds.create('other', { fork: 'default' });
  const numbers = (of: typeof world) => requests.list(of, { limit: 100 }).map(({ seq }) => seq);
  const request = { method: 'GET', path: '/', query: '', headers: [], header: () => undefined };
  const entry = new LogEntryBuilder('control', request, world, systemRuntime).toEntry(undefined);
  return { ...shop, world, other, numbers, entry };
}

test('the entries of all worlds have one numbering, and each world lists its own', async () => {
  const { requests, world, other, numbers, entry } = await open();
  for (const each of [world, other, world]) requests.append(each, entry);
  expect([numbers(world), numbers(other)]).toEqual([[3, 1], [2]]);
});

test('the newest entries of all worlds together are kept, and the others are counted, over a restart too', async () => {
  const dataDir = stateFolder();
  const { requests, world, other, numbers, entry, close } = await open(10, dataDir);
  for (let n = 0; n < 8; n += 1) {
    requests.append(world, entry);
    requests.append(other, entry);
  }
  expect([numbers(world), numbers(other)]).toEqual([
    [15, 13, 11, 9, 7],
    [16, 14, 12, 10, 8],
  ]);
  requests.append(world, entry);
  expect(requests.dropped('default')).toBe(4);
  expect(() => requests.require(world, REQUEST_IDS.format('req', 1))).toThrow(
    'those in the log, which keeps the newest 10',
  );
  await close();
  const restarted = await open(10, dataDir);
  expect(restarted.requests.dropped('default')).toBe(4);
  await restarted.close();
  const none = await open(0, dataDir);
  expect(none.numbers(none.world)).toEqual([]);
});

test('at most 64 MB of bodies are kept, those of the newest entries', async () => {
  const { requests, world, entry } = await open();
  const MB = 1024 * 1024;
  const request = { ...entry.request, body: 'x'.repeat(64 * 1024) };
  const response = { ...entry.request, body: 'y'.repeat(100_000), bytes: 100_000 };
  for (let n = 0; n < 700; n += 1) {
    requests.append(world, { ...entry, request, response });
    if (n % 100 === 0) requests.flush();
  }
  const { client } = requests.store;
  const bytes = client.prepare('SELECT sum(length(body) + length(response)) FROM requests');
  expect(bytes.pluck().get()).toBeLessThanOrEqual(64 * MB);
  expect(bytes.pluck().get()).toBeGreaterThan(60 * MB);
  const [newest] = requests.list(world, { limit: 1 });
  expect(newest?.seq).toBe(700);
  expect(newest?.response).toMatchObject({ altered: 'truncated', bytes: 100_000 });
});

test('a reset and a deleted world hide entries from lists, also after a restart, until the log is cleared', async () => {
  const { dataDir, at: first } = await sandboxOnDisk();
  await first.control.post('/worlds', { name: 'w1' });
  const w1 = first.control.in('w1');
  await w1.post('/clock/advance', { by: '1m' });
  await first.control.delete('/worlds/w1');
  await first.call({ method: 'GET', target: '/api/partner/v1/orders' });
  const before = await loggedIds(first, { api: 'all' });
  await first.reset();
  const after = await loggedIds(first, { api: 'all' });
  await first.close();
  expect(after).toHaveLength(1);
  expect(before).not.toContain(after[0]);

  const { requests, worlds, world, entry } = await open(undefined, dataDir);
  const recreated = worlds.create('w1', {});
  const listed = (each: typeof world) =>
    requests.list(each, { limit: 100 }).map(({ requestId }) => requestId);
  expect([listed(world), listed(recreated)]).toEqual([after, []]);
  expect(() => requests.require(world, before[0] ?? '')).toThrow('not found');
  const kept = () =>
    requests.worldNames().map((name) => [name, requests.history(name, 1, 100).length]);
  expect(kept()).toEqual([
    ['default', before.length + 1],
    ['w1', 1],
  ]);
  requests.clear(recreated, ['default', 'w1']);
  expect(kept()).toEqual([['default', before.length + 1]]);
  requests.clear(world, ['default', 'w1']);
  expect(kept()).toEqual([]);
  // Numbers are never used again.
  requests.append(world, entry);
  expect(listed(world).every((id) => id > (after[0] ?? ''))).toBe(true);
});

test('a deleted world keeps its secrets from the log, and its runs are counted on under its name', async () => {
  const { requests, worlds, other, entry } = await open();
  const owner = { partnerId: 'ptr_local', environment: 'SANDBOX' } as const;
  const secret = 'whsec_of_a_deleted_world';
  other.transaction((tx) => registerWebhook(tx, owner, { url: 'http://127.0.0.1:9/', secret }));
  const runs = [{ n: 7, at: 0, now: 0 }];
  requests.append(other, { ...entry, target: `/${secret}`, runs });
  await worlds.delete(other);
  expect(requests.history('other', 1, 1)).toMatchObject([{ target: '/[redacted]' }]);
  worlds.create('other');
  expect(requests.lastRun('other')).toBe(7);
});

test('a request without a valid signature has a run, which gives its place among the others', async () => {
  const { app, requests, world } = await open();
  await app.request('http://localhost/api/partner/v1/orders');
  expect(requests.list(world, { limit: 100 })).toMatchObject([{ status: 401, runs: [{ n: 1 }] }]);
});
