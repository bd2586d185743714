import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { InProcessSandbox } from '../../../src/index.ts';
import { systemRuntime } from '../../../src/kernel/runtime.ts';
import { MAGIC_DOMAINS } from '../../../src/market/inventory/magic-domains.ts';
import type { GoliveExport } from '../../../src/tools/golive/export-file.ts';
import { renderHtml } from '../../../src/tools/golive/html.tsx';
import {
  WorldObservations,
  type WorldRecord,
} from '../../../src/tools/golive/world-observations.ts';
import { manualTimers } from '../../support/manual-timers.ts';
import { mint } from '../../support/orders.ts';
import { sandbox } from '../../support/sandbox.ts';
import { stateFolder } from '../../support/state-folder.ts';
import { contradicted, get, item, order, reportOf, request } from './observed.ts';

const CALL = 'call.getOrders';

async function countOf(at: InProcessSandbox, world?: string): Promise<number> {
  return (await item(at, CALL, world)).count;
}

async function runOf(at: InProcessSandbox): Promise<string | undefined> {
  return (await reportOf(at)).sources[0]?.run;
}

function exported(at: InProcessSandbox): Promise<GoliveExport> {
  return at.control.get<GoliveExport>('/golive/export');
}

const NOW = Date.parse('2026-03-02T09:00:00.000Z');
/** All that happens is in one second of real time. */
const ONE_SECOND = { ...systemRuntime, now: () => NOW };

describe('observations survive', () => {
  test('what prunes and clears the request log, without a link to what is gone', async () => {
    // A recording would keep more entries.
    const at = await sandbox({ requestLog: 2, recording: false });
    await get(at, '/orders', { count: 5 });
    const { count, evidence } = await item(at, CALL);
    expect(count).toBe(5);
    expect(evidence.map(({ href }) => href !== null)).toEqual([false, true, true]);
    await at.control.delete('/requests');
    await get(at, '/pricing?domain=held-order.test');
    const cleared = await item(at, CALL);
    expect(cleared.evidence.map(({ id }) => id)).toEqual(evidence.map(({ id }) => id));
    expect(cleared.evidence.map(({ href }) => href)).toEqual([null, null, null]);
  });

  test('a reset and a restore, which rules take for boundaries', async () => {
    const at = await sandbox();
    await get(at, '/orders', { count: 15 });
    await at.control.post('/snapshots', { name: 'before' });
    await get(at, '/orders');
    const run = await runOf(at);
    await at.control.post('/reset');
    await at.control.post('/snapshots/before/restore');
    await get(at, '/orders', { count: 6 });
    expect(await countOf(at)).toBe(22);
    expect(await runOf(at)).toBe(run);
    expect(await item(at, 'request.fresh_nonce')).toMatchObject({ status: 'unmet' });
  });

  test('a reset right after the start, when no report was asked for', async () => {
    const at = await sandbox();
    await get(at, '/orders', { count: 3 });
    await at.control.post('/reset');
    await get(at, '/orders', { count: 2 });
    expect(await countOf(at)).toBe(5);
  });

  test.each([
    ['a reset', (at: InProcessSandbox) => at.reset()],
    ['a clear', (at: InProcessSandbox) => at.control.delete('/requests')],
  ])('%s of a long request log, which serves other requests meanwhile', async (_what, clear) => {
    const at = await sandbox({ rateLimits: false });
    await reportOf(at);
    await get(at, '/orders', { count: 900 });
    let isCleared = false;
    const clearing = clear(at).then(() => {
      isCleared = true;
    });
    let served = 0;
    while (!isCleared) {
      await get(at, '/events');
      served += 1;
    }
    await clearing;
    // Without slices, two or three.
    expect(served).toBeGreaterThan(5);
    expect(await countOf(at)).toBe(900);
  });

  test.each([
    ['a reset', (at: InProcessSandbox) => at.control.post('/reset')],
    ['a clear', (at: InProcessSandbox) => at.control.delete('/requests')],
  ])('%s, which does not fail if the rules cannot read the log', async (_what, clear) => {
    const at = await sandbox();
    await get(at, '/orders', { count: 3 });
    await reportOf(at);
    const error = new Error('the log is damaged');
    vi.spyOn(WorldObservations.prototype, 'run').mockRejectedValueOnce(error);
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => void vi.restoreAllMocks());
    await clear(at);
    expect(stderr).toHaveBeenCalledWith(expect.stringContaining(error.message));
    expect(await countOf(at)).toBe(3);
  });

  test('many resets in one second', async () => {
    const at = await sandbox({ runtime: ONE_SECOND, rateLimits: false });
    await reportOf(at);
    for (const count of [600, 5, 5]) {
      await get(at, '/orders', { count });
      await at.control.post('/reset');
    }
    expect(await countOf(at)).toBe(610);
  });

  test('a kill after a reset', async () => {
    const dataDir = stateFolder();
    const killed = await sandbox({ dataDir });
    await reportOf(killed);
    await get(killed, '/orders', { count: 3 });
    await killed.control.post('/reset');
    const copy = stateFolder();
    fs.cpSync(dataDir, copy, { recursive: true });
    expect(await countOf(await sandbox({ dataDir: copy }))).toBe(3);
  });

  test('a restart, with requests that were just observed', async () => {
    const dataDir = stateFolder();
    const first = await sandbox({ dataDir });
    await get(first, '/orders', { count: 3 });
    await first.close();
    const second = await sandbox({ dataDir });
    expect(await countOf(second)).toBe(3);
    await get(second, '/orders');
    const { count, evidence } = await item(second, CALL);
    expect(count).toBe(4);
    for (const { href } of evidence) expect(href).not.toBeNull();
    const { requests } = await second.control.get<{ requests: { request_id: string }[] }>(
      '/requests',
    );
    expect(evidence.at(-1)?.id).toBe(requests[0]?.request_id);
  });

  test('the deletion of their world in those of default, with the name of the world', async () => {
    const at = await sandbox();
    await get(at, '/orders');
    await at.control.post('/worlds', { name: 'w1' });
    await get(at, '/orders', { key: await mint(at, { world: 'w1' }), count: 2 });
    expect((await reportOf(at)).sources).toHaveLength(2);
    await at.control.delete('/worlds/w1');
    const { sources } = await reportOf(at);
    expect(sources).toMatchObject([{ worlds: ['default', 'w1'], requests: 3 }]);
    const { count, evidence } = await item(at, CALL);
    expect(count).toBe(3);
    expect(evidence.map(({ world, href }) => [world, href !== null])).toEqual([
      ['default', true],
      ['w1', false],
      ['w1', false],
    ]);
  });
});

test('without a request log, every call says that the report reads it', async () => {
  const at = await sandbox({ requestLog: 0 });
  await get(at, '/orders');
  const message = 'the request log, which is off; start without --request-log 0';
  await expect(reportOf(at)).rejects.toThrow(message);
  await expect(exported(at)).rejects.toThrow(message);
  await expect(at.control.delete('/golive/observations')).rejects.toThrow(message);
  await expect(at.control.post('/golive')).rejects.toThrow(message);
  const page = await at.fetch(`${at.url}/_sandbox/dashboard/go-live`);
  expect(await page.text()).toContain('start without --request-log 0');
});

test('a fork starts without observations', async () => {
  const at = await sandbox();
  await get(at, '/orders');
  await reportOf(at);
  await at.control.post('/snapshots', { name: 'saved' });
  for (const [name, fork] of [
    ['fork', 'default'],
    ['copy', 'saved'],
  ]) {
    await at.control.post('/worlds', { name, fork });
    expect((await reportOf(at, name)).sources).toEqual([]);
  }
  expect((await reportOf(at)).sources).toHaveLength(1);
});

test('observations of a named world are read and cleared apart', async () => {
  const at = await sandbox();
  await at.control.post('/worlds', { name: 'w1' });
  await get(at, '/orders', { key: await mint(at, { world: 'w1' }) });
  await get(at, '/orders', { count: 2 });
  expect(await Promise.all([countOf(at), countOf(at, 'w1')])).toEqual([3, 1]);
  await at.control.in('w1').delete('/golive/observations');
  expect(await Promise.all([countOf(at), countOf(at, 'w1')])).toEqual([2, 0]);
});

test('clearing an item forgets it only; clearing all begins a new run', async () => {
  const at = await sandbox();
  const headers = { 'X-Service-Timestamp': '1' };
  for (let n = 0; n < 3; n += 1) await request(at, { method: 'GET', target: '/orders', headers });
  await get(at, '/orders');
  const run = await runOf(at);
  expect(await contradicted(at)).toEqual(['request.clock']);
  expect(await at.control.delete('/golive/observations', { id: 'request.clock' })).toEqual({
    cleared: 1,
  });
  expect(await contradicted(at)).toEqual([]);
  expect([await countOf(at), await runOf(at)]).toEqual([1, run]);
  await at.control.delete('/golive/observations');
  expect((await reportOf(at)).sources).toEqual([]);
  await get(at, '/orders');
  expect(await runOf(at)).not.toBe(run);
});

test('two worlds of one seed have different runs, and an export of none has one too', async () => {
  const runs = await Promise.all(
    [await sandbox(), await sandbox()].map(async (at) => (await exported(at)).sources[0]?.run),
  );
  expect(new Set(runs).size).toBe(2);
  const at = await sandbox();
  const [before] = (await exported(at)).sources;
  expect(before).toMatchObject({ worlds: ['default'], requests: 0, observations: [] });
  await get(at, '/orders');
  expect(await runOf(at)).toBe(before?.run);
});

test('observations of an unknown item are kept, and named in the report', async () => {
  const dataDir = stateFolder();
  const at = await sandbox({ dataDir });
  await get(at, '/orders');
  await reportOf(at);
  await at.close();
  edit(dataDir, 'default', ({ observations }) => {
    for (const each of observations) {
      if (each.item === 'request.clock' || each.item === CALL) each.rev = 2;
      if (each.item === CALL && each.result === 'used') each.item = 'call.getFuture';
    }
  });
  const again = await sandbox({ dataDir });
  expect((await reportOf(again)).ignored).toEqual(['call.getFuture', 'call.getOrders']);
  await get(again, '/orders');
  expect(await item(again, CALL)).toMatchObject({ status: 'met', count: 1 });
  expect((await reportOf(again)).ignored).toEqual(['call.getFuture']);
});

function recordOf(dataDir: string, world: string): string {
  return path.join(dataDir, 'tools', 'golive', `${world}.json`);
}

/** Changes what is kept of a world. */
function edit(dataDir: string, world: string, change: (record: WorldRecord) => unknown): void {
  const file = recordOf(dataDir, world);
  const record = JSON.parse(fs.readFileSync(file, 'utf8')) as WorldRecord;
  fs.writeFileSync(file, JSON.stringify(change(record) ?? record));
}

const editEach = (values: object) => (record: WorldRecord) => {
  for (const each of record.observations) Object.assign(each, values);
};

test.each<[string, (record: WorldRecord) => unknown]>([
  ['evidence of another shape', editEach({ evidence: [{ at: 'soon' }] })],
  ['evidence that is not a list', editEach({ evidence: 5 })],
  ['a time beyond the last Date', editEach({ first_at: 9e18 })],
  ['a count below 1', editEach({ count: -1 })],
  ['worlds of another shape', (record) => Object.assign(record.run, { worlds: {} })],
  ['a record of another shape', () => []],
])(
  'a world with %s leaves the list of all worlds usable, and is observed again',
  async (_, odd) => {
    const dataDir = stateFolder();
    const at = await sandbox({ dataDir });
    await at.control.post('/worlds', { name: 'w1' });
    const key = await mint(at, { world: 'w1' });
    await get(at, '/orders');
    await get(at, '/orders', { key });
    await reportOf(at);
    await at.close();
    edit(dataDir, 'w1', odd);

    const again = await sandbox({ dataDir });
    expect(await item(again, CALL, 'default')).toMatchObject({ status: 'met', count: 1 });
    await get(again, '/orders', { key });
    expect(await item(again, CALL, 'w1')).toMatchObject({ status: 'met' });
    expect((await exported(again)).sources).toHaveLength(2);
  },
);

test('rules run when a report is asked for, once over each entry', async () => {
  const runtime = manualTimers();
  const dataDir = stateFolder();
  const at = await sandbox({ dataDir, runtime, rateLimits: false });
  await get(at, '/orders', { count: 201 });
  expect(fs.existsSync(recordOf(dataDir, 'default'))).toBe(false);
  const [first, second] = await Promise.all([reportOf(at), reportOf(at)]);
  expect(fs.statSync(recordOf(dataDir, 'default')).mode & 0o077).toBe(0);
  expect([first.sources[0]?.requests, second.sources[0]?.requests]).toEqual([201, 201]);
  expect((await reportOf(at)).sources[0]?.requests).toBe(201);
});

test('requests before and after others that were not read relate to none of each other', async () => {
  const at = await sandbox({
    requestLog: 2,
    recording: false,
    runtime: ONE_SECOND,
    rateLimits: false,
  });
  const magic = MAGIC_DOMAINS.find(({ domain }) => domain === 'lost-response.test');
  const lost = { domain: 'lost-response.test', price: magic?.price_cents ?? 0 };
  await reportOf(at);
  await order(at, lost, 'key-1').catch(() => undefined);
  // So many are read in a second; the retry is not.
  await get(at, '/orders', { count: 600 });
  await order(at, lost, 'key-1');
  await get(at, '/orders', { count: 5 });
  await at.control.get('/requests');
  await order(at, lost, 'key-2').catch(() => undefined);
  expect(await contradicted(at)).toEqual([]);
});

test('requests of a process that was killed count in the next one, and relate to none of it', async () => {
  const dataDir = stateFolder();
  const killed = await sandbox({ dataDir });
  await get(killed, '/orders', { count: 15 });
  await killed.control.get('/requests');
  const copy = stateFolder();
  fs.cpSync(dataDir, copy, { recursive: true });
  const at = await sandbox({ dataDir: copy });
  await get(at, '/orders', { count: 6 });
  expect(await countOf(at)).toBe(21);
  expect(await item(at, 'request.fresh_nonce')).toMatchObject({ status: 'unmet' });
});

test('invalid input names the field and the fix, and changes nothing', async () => {
  const at = await sandbox();
  await get(at, '/orders');
  const { control } = at;
  await expect(control.delete('/golive/observations', { id: 'call.getOrdres' })).rejects.toThrow(
    'id: unknown id "call.getOrdres". Did you mean call.getOrders?',
  );
  await expect(control.get('/golive', { group: 'sales' })).rejects.toThrow(
    'group: unknown group "sales". Did you mean sale?',
  );
  const content = { items_version: 1, require: ['sale.lost_respons'] };
  await expect(control.post('/golive', { gate: { file: 'g', content } })).rejects.toThrow(
    'require.0: unknown item "sale.lost_respons". Did you mean sale.lost_response?',
  );
  expect(await countOf(at)).toBe(1);
});

test('text of partners is escaped in the report page', async () => {
  const at = await sandbox();
  await order(at, { domain: 'sold-meanwhile.test', price: 1 }, '<script>alert(1)</script>');
  const { evidence } = await item(at, 'sale.not_available');
  expect(evidence[0]?.text).toContain('key <script>');
  const html = await renderHtml(await reportOf(at));
  expect(html).toContain('&lt;script&gt;alert(1)');
  expect(html).not.toContain('<script');
});
