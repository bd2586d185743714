import { expect, test } from 'vitest';
import type { RecordedRequest } from '../../src/requests/recording.ts';
import { recordedSandbox } from '../support/recorded-sandbox.ts';
import { testRuntime } from '../support/runtime.ts';

const LIST = { method: 'GET', target: '/api/partner/v1/orders' };

function requestsIn(inputs: { kind: string }[]): RecordedRequest[] {
  return inputs.filter((input): input is RecordedRequest => input.kind === 'request');
}

test('a new world is recorded from its seed, with numbers in the order of its transactions', async () => {
  const runtime = testRuntime();
  const at = await recordedSandbox({ runtime });
  await at.call(LIST);
  runtime.time += 5_000;
  await at.control.post('/clock/advance', { by: '1m' });
  await at.fetch('/api/partner/v1/orders');
  const [recording, ...others] = at.recordings();
  expect(others).toEqual([]);
  expect(recording).toMatchObject({
    base: { kind: 'seed', inventory: 50, createdAt: testRuntime().time },
    ended: null,
    settings: { baseUrl: 'http://localhost', rateLimits: { write: 20 }, lastSeries: 0 },
  });
  const inputs = at.inputs(recording);
  expect(inputs.map(({ n }) => n)).toEqual(inputs.map((_, index) => index + 1));
  expect(inputs[0]).toMatchObject({ target: LIST.target, signatureResult: 'passed' });
  expect(inputs[1]).toMatchObject({ target: '/_sandbox/clock/advance', at: runtime.time });
  expect(inputs.filter(({ kind }) => kind === 'step')).toContainEqual(
    expect.objectContaining({ label: 'clock', at: runtime.time }),
  );
  expect(inputs.at(-1)).toMatchObject({ failedCheck: 'headers', signatureResult: null });
});

test('reads of the control API, and calls that enter no world, are not inputs', async () => {
  const at = await recordedSandbox();
  await at.control.get('/orders');
  await at.control.post('/idle', {});
  await at.control.post('/worlds', { name: 'other' });
  expect(at.recordings()).toEqual([]);
  expect(at.sandbox.requests.recordingOf(at.world)).toMatchObject({ requests: 0, reason: null });
});

test('a body is stored whole, and shown up to 32 KiB', async () => {
  const at = await recordedSandbox();
  const body = JSON.stringify({ domain: 'x'.repeat(50_000) });
  await at.call({ method: 'POST', target: '/api/partner/v1/quotes', body });
  const [request] = requestsIn(at.inputs(at.recordings()[0]));
  expect(request?.body.toString()).toBe(body);
  const shown = at.sandbox.requests.of(at.world).require(request?.requestId ?? '');
  expect(shown.request).toMatchObject({ altered: 'truncated', bytes: body.length });
  expect(shown.request.body).toHaveLength(32 * 1024);
});

test('a signature that was rejected is recorded with its message and without the signature', async () => {
  const at = await recordedSandbox();
  await at.call(LIST, { key_id: 'dmk_sandbox_local', secret: 'wrong' });
  const [request] = requestsIn(at.inputs(at.recordings()[0]));
  expect(request?.signatureResult).toMatchObject({ code: 'invalid_signature', status: 401 });
  expect(JSON.stringify(request?.headers)).not.toMatch(/v1=[0-9a-f]{9}/);
});

test('a recording goes on over a reset, after which the log lists only what followed', async () => {
  const at = await recordedSandbox();
  await at.call(LIST);
  await at.control.post('/reset', {});
  await at.call(LIST);
  const recordings = at.recordings();
  expect(recordings).toHaveLength(1);
  const found = requestsIn(at.inputs(recordings[0]));
  expect(found.map(({ target }) => target)).toEqual([LIST.target, '/_sandbox/reset', LIST.target]);
  const log = at.sandbox.requests.of(at.world);
  expect(log.list({}, { limit: 10 })).toHaveLength(2);
  for (const { requestId, n } of found) {
    expect(log.recordings.find(requestId)).toEqual({ recording: recordings[0]?.id, n });
  }
});

test('clearing the log deletes the recording; the next one begins with a copy of the world', async () => {
  const at = await recordedSandbox();
  await at.call(LIST);
  await at.control.delete('/requests');
  expect(at.recordings()).toEqual([]);
  await at.call(LIST);
  const [recording] = at.recordings();
  expect(recording?.base.kind).toBe('database');
  const base = recording && at.sandbox.requests.of(at.world).recordings.base(recording);
  expect(base).toMatchObject({ bytes: expect.any(Buffer) });
});

test.each([
  [{ recording: false }, 'recording is off'],
  [{ requestLog: 0 }, 'the request log is off'],
  [{ randomKeys: true }, 'its keys are random, so that no seed repeats them'],
])('with %j nothing is recorded, and the status says why', async (options, reason) => {
  const at = await recordedSandbox(options);
  await at.call(LIST);
  expect(at.recordings()).toEqual([]);
  expect(at.sandbox.requests.recordingOf(at.world)).toEqual({ since: null, requests: 0, reason });
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
  expect(first?.ended).toBe('snapshot s was saved before the recording');
  expect(at.inputs(first).map(({ n }) => n)).toEqual([1]);
  expect(requestsIn(at.inputs(second))).toHaveLength(1);
});
