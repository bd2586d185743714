import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { systemRuntime } from '../../../src/kernel/runtime.ts';
import type { InputRecord } from '../../../src/tools/repro/format.ts';
import { requestsOf } from '../../../src/tools/repro/select.ts';
import { exportRepro } from '../../../src/tools/repro/service.ts';
import type { Sender } from '../../../src/webhooks/send.ts';
import { BLANK_ENTRY } from '../../support/blank-entry.ts';
import { testRuntime } from '../../support/runtime.ts';
import { stateFolder } from '../../support/state-folder.ts';
import { recordedSandbox } from './recorded-sandbox.ts';

const URL = 'http://127.0.0.1:9/hook';
const LIST = { method: 'GET', target: '/api/partner/v1/orders' };

/** The numbers of the acts of a recording. */
function numbersIn(inputs: readonly InputRecord[]): number[] {
  return inputs.flatMap((input) => (input.kind === 'act' ? input.n : []));
}

test('a new world is recorded from its seed, with acts numbered in the order in which they ran', async () => {
  const runtime = testRuntime();
  const at = await recordedSandbox({ runtime });
  await at.call(LIST);
  runtime.time += 5_000;
  await at.control.post('/clock/advance', { by: '1m' });
  await at.fetch('/api/partner/v1/orders');
  const [recording, ...others] = at.recordings();
  expect(others).toEqual([]);
  expect(recording).toMatchObject({
    base: { type: 'seed', inventory: 50, created_at: testRuntime().time },
    ended: null,
    settings: { base_url: 'http://localhost', rate_limits: { write: 20 }, last_id_series: 0 },
  });
  const inputs = at.inputs(recording);
  const numbers = numbersIn(inputs);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  const [list, advance, read] = requestsOf(inputs);
  expect(list).toMatchObject({ target: LIST.target, acts: [1], signature_result: 'passed' });
  expect(advance).toMatchObject({ target: '/_sandbox/clock/advance', at: runtime.time });
  expect(inputs.filter(({ kind }) => kind === 'act')).toContainEqual(
    expect.objectContaining({ cause: { type: 'clock.to' }, at: runtime.time }),
  );
  expect(read).toMatchObject({
    ...{ acts: [], after: numbers.at(-1), failed_check: 'headers', signature_result: null },
  });
});

test('reads of the control API, and calls that enter no world, are not inputs', async () => {
  const at = await recordedSandbox();
  await at.control.get('/orders');
  await at.control.post('/idle', {});
  await at.control.post('/worlds', { name: 'other' });
  expect(at.recordings()).toEqual([]);
  expect(at.recorded.status).toMatchObject({ requests: 0, reason: null });
});

test('a recording has the headers that the sandbox reads; the log shows all', async () => {
  const at = await recordedSandbox();
  const headers = { 'X-Forwarded-For': '10.1.2.3', Cookie: 'a=b', 'Idempotency-Key': 'k' };
  await at.fetch('/api/partner/v1/orders', { headers });
  const [request] = requestsOf(at.inputs(at.recordings()[0]));
  expect(request?.headers).toEqual([['idempotency-key', 'k']]);
  const shown = at.sandbox.requests.of(at.world).require(request?.request_id ?? '');
  expect(shown.request.headers).toContainEqual(['x-forwarded-for', '10.1.2.3']);
});

test('a signature that was rejected is recorded with its message and without the signature', async () => {
  const at = await recordedSandbox();
  await at.call(LIST, { key_id: 'dmk_sandbox_local', secret: 'wrong' });
  const [request] = requestsOf(at.inputs(at.recordings()[0]));
  expect(request?.signature_result).toMatchObject({ code: 'invalid_signature', status: 401 });
  expect(JSON.stringify(request?.headers)).not.toMatch(/v1=[0-9a-f]{9}/);
});

test('a recording goes on over a reset, after which the log lists only what followed', async () => {
  const at = await recordedSandbox();
  await at.call(LIST);
  await at.control.post('/reset', {});
  await at.call(LIST);
  const recordings = at.recordings();
  expect(recordings).toHaveLength(1);
  const found = requestsOf(at.inputs(recordings[0]));
  expect(found.map(({ target }) => target)).toEqual([LIST.target, '/_sandbox/reset', LIST.target]);
  const log = at.sandbox.requests.of(at.world);
  expect(log.list({}, { limit: 10 })).toHaveLength(2);
  for (const { request_id } of found) {
    expect(at.recorded.recordings.find(request_id)).toBe(recordings[0]?.key);
  }
});

test('clearing the log deletes the recording; the next one begins with a copy of the world', async () => {
  const at = await recordedSandbox();
  await at.call(LIST);
  await at.control.delete('/requests');
  expect(at.recordings()).toEqual([]);
  await at.call(LIST);
  const [recording] = at.recordings();
  expect(recording?.base).toBeNull();
  const base = recording && at.recorded.recordings.base(recording);
  expect(base).toBeInstanceOf(Buffer);
});

test.each([
  [{ toolSettings: { recording: false } }, 'recording is off'],
  [{ requestLog: 0 }, 'the request log is off'],
  [{ randomKeys: true }, 'its keys are random, so that no seed repeats them'],
])('with %j nothing is recorded, and the status says why', async (options, reason) => {
  const at = await recordedSandbox(options);
  await at.call(LIST);
  expect(at.recordings()).toEqual([]);
  expect(at.recorded.status).toEqual({ since: null, requests: 0, reason });
});

test('a restored snapshot that was saved before the recording ends it before the restore', async () => {
  const at = await recordedSandbox();
  await at.control.post('/snapshots', { name: 's' });
  await at.control.post('/snapshots/s/restore', {});
  await at.control.delete('/requests');
  await at.call(LIST);
  await at.control.post('/snapshots/s/restore', {});
  await at.call(LIST);
  const [first, second] = at.recordings();
  expect(first?.ended?.reason).toBe('snapshot s was saved before the recording');
  expect(numbersIn(at.inputs(first))).toEqual([1]);
  expect(requestsOf(at.inputs(second))).toHaveLength(1);
});

test('a reset that applies a configuration file belongs to no recording', async () => {
  const at = await recordedSandbox({ isConfigured: true });
  await at.control.post('/reset', {});
  await at.control.post('/reset', {});
  expect(at.recordings()).toEqual([]);
  await at.call(LIST);
  await at.control.post('/reset', {});
  await at.call(LIST);
  const found = at.recordings().map((each) => requestsOf(at.inputs(each)).map((one) => one.target));
  expect(found).toEqual([[LIST.target], [LIST.target]]);
});

test('a world of more than 4 MB is stored for a new recording only after some time', async () => {
  const runtime = testRuntime();
  const at = await recordedSandbox({ runtime, inventory: 20_000 });
  const begin = async () => {
    await at.control.delete('/requests');
    await at.call(LIST);
    return at.recorded.status;
  };
  expect(await begin()).toMatchObject({ requests: 1, reason: null });
  const tooSoon = {
    since: null,
    reason: 'the world is large, and was stored for a recording a moment ago',
  };
  expect(await begin()).toMatchObject(tooSoon);
  runtime.time += 80_000;
  expect(await begin()).toMatchObject({ requests: 1, reason: null });
});

test('a recording has its base in the log, without which it can be read but not exported', async () => {
  const dataDir = stateFolder();
  const first = await recordedSandbox({ dataDir, isConfigured: true });
  await first.call(LIST);
  await first.close();
  const second = await recordedSandbox({ dataDir, isConfigured: true });
  const [recording] = second.recordings();
  if (!recording) throw new Error('nothing is recorded');
  const { recordings } = second.recorded;
  const [request] = requestsOf(second.inputs(recording));
  const exported = () =>
    exportRepro({ ...second.sandbox, runtime: systemRuntime }, second.world, {
      request: request?.request_id,
    });
  expect(recordings.base(recording)).toBeInstanceOf(Buffer);
  expect((await exported()).summary.problem).toBeNull();
  second.sandbox.requests.of(second.world).store.client.exec('UPDATE recordings SET base = NULL');
  expect(recordings.base(recording)).toBeUndefined();
  await expect(exported()).rejects.toThrow('is not stored: it was deleted to save space');
});

test('unwritten entries of many worlds take no more memory than those of one', async () => {
  const at = await recordedSandbox({ runtime: { ...testRuntime(), after: () => () => {} } });
  const logs = [];
  for (let n = 0; n < 20; n += 1) {
    await at.control.post('/worlds', { name: `w${n}` });
    logs.push(at.sandbox.requests.of(at.sandbox.worlds.require(`w${n}`)));
  }
  const before = process.memoryUsage().arrayBuffers;
  for (const log of logs) log.append(BLANK_ENTRY);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
});

test('no recording begins beside an open call, also after a call whose world was deleted', async () => {
  const held: (() => void)[] = [];
  const sender: Sender = {
    send: () =>
      new Promise((resolve) => {
        held.push(() => resolve({ outcome: 'ok', httpStatus: 200, durationMs: 1, response: null }));
      }),
    close: () => {},
  };
  const at = await recordedSandbox({ sender });
  const fire = async (world: string) => {
    const fired = at.control
      .post(`/webhooks/fire?world=${world}`, { type: 'order.recorded', url: URL, secret: 's3cr3t' })
      .catch(() => {});
    await expect.poll(() => held.length).toBe(1);
    return async () => {
      held.pop()?.();
      await fired;
    };
  };
  await at.control.post('/worlds', { name: 'w1' });
  const endInDeleted = await fire('w1');
  await at.control.delete('/worlds/w1');
  await endInDeleted();
  const end = await fire('default');
  await at.control.delete('/requests');
  await at.call(LIST);
  // The call that is open could have changed anything.
  expect(at.recordings()).toEqual([]);
  await end();
  await at.call(LIST);
  expect(at.recordings()).toHaveLength(1);
});

test('a recording after one without inputs does not get its acts', async () => {
  const errors: unknown[] = [];
  const at = await recordedSandbox({ report: (error) => errors.push(error) });
  const body = `domain,price_cents\n${'coffee.example,100\n'.repeat(70_000)}`;
  const headers = { 'Content-Type': 'text/csv' };
  await at.fetch('/_sandbox/inventory/import', { method: 'POST', headers, body });
  await at.control.post('/clock/advance', { by: '1m' });
  const [recording, ...others] = at.recordings();
  expect(others).toEqual([]);
  const inputs = at.inputs(recording);
  expect(inputs[0]).toMatchObject({ after: 0, target: '/_sandbox/clock/advance' });
  expect(inputs[1]).toMatchObject({ kind: 'act', n: 1 });
  expect(inputs).toContainEqual(expect.objectContaining({ cause: { type: 'clock.to' } }));
  expect(errors).toEqual([]);
});

test('the recording of a process that was killed has ended', async () => {
  const dataDir = stateFolder();
  const killed = await recordedSandbox({ dataDir });
  await killed.call(LIST);
  await killed.close();
  const log = new Database(path.join(dataDir, 'requests.db'));
  log.exec("UPDATE recordings SET head = json_set(head, '$.ended', null)");
  log.close();
  const at = await recordedSandbox({ dataDir });
  await at.call(LIST);
  expect(at.recordings().map(({ ended }) => ended?.reason ?? null)).toEqual([
    'the process was killed',
    null,
  ]);
});
