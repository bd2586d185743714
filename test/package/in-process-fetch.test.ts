import v8 from 'node:v8';
import vm from 'node:vm';
import { describe, expect, test } from 'vitest';
import { signPartnerRequest } from '../../src/client/partner-client.ts';
import { sandbox } from '../support/sandbox.ts';

const ADVANCE = '/_sandbox/clock/advance';
const NOW = '2026-03-02T09:00:00.000Z';
const ONE_MINUTE_LATER = '2026-03-02T09:01:00.000Z';

describe('sandbox.fetch takes what fetch takes', () => {
  test('a path, an address as text, a URL and a Request give the same response', async () => {
    const at = await sandbox();
    const address = `${at.url}/_sandbox/clock`;
    for (const input of ['/_sandbox/clock', address, new URL(address), new Request(address)]) {
      const response = await at.fetch(input);
      expect(await response.json()).toMatchObject({ now: NOW });
    }
  });

  test('a Request brings its method, headers and body, and init replaces them', async () => {
    const at = await sandbox();
    const post = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
    const request = new Request(at.url + ADVANCE, { ...post, body: '{"by":"1m"}' });
    const copy = request.clone();
    expect(await (await at.fetch(request)).json()).toMatchObject({ now: ONE_MINUTE_LATER });
    const response = await at.fetch(copy, { body: '{"by":"2m"}' });
    expect(await response.json()).toMatchObject({ now: '2026-03-02T09:03:00.000Z' });
  });

  test('headers as Headers and as a list are sent', async () => {
    const at = await sandbox();
    const request = { method: 'GET', target: '/api/partner/v1/orders', nonce: 'n-1' };
    const { headers } = signPartnerRequest(at.url, at.credential, request, Date.now());
    const signed = await at.fetch('/api/partner/v1/orders', { headers: new Headers(headers) });
    expect(signed.status).toBe(200);
    const replayed = await at.fetch('/api/partner/v1/orders', { headers: Object.entries(headers) });
    expect(await replayed.json()).toMatchObject({ error: { code: 'replay_detected' } });
  });

  const aborted = AbortSignal.abort(new Error('too late'));

  test('a signal that has aborted rejects with its reason, and nothing is called', async () => {
    const at = await sandbox();
    const post = { method: 'POST', body: '{"by":"1m"}', signal: aborted };
    await expect(at.fetch(ADVANCE, post)).rejects.toThrow('too late');
    await expect(at.fetch(new Request(at.url + ADVANCE, post))).rejects.toThrow('too late');
    expect(await at.control.get('/clock')).toMatchObject({ now: NOW });
  });

  test('a signal that aborts while the sandbox responds rejects at once with its reason', async () => {
    const at = await sandbox();
    const controller = new AbortController();
    const body = JSON.stringify({ for: 'event', type: 'order.settled', timeout_ms: 600_000 });
    const waiting = at.fetch('/_sandbox/wait', { method: 'POST', body, signal: controller.signal });
    controller.abort(new Error('too late'));
    await expect(waiting).rejects.toThrow('too late');
  });

  test('a signal that aborts later ends the body of the response', async () => {
    const at = await sandbox();
    const controller = new AbortController();
    const { signal } = controller;
    const url = `${at.url}/_sandbox/requests/stream`;
    const responses = [
      await at.fetch(url, { signal }),
      await at.fetch(new Request(url, { signal })),
    ];
    const bodies = responses.map((response) => response.text());
    await new Promise(setImmediate);
    // Collects the requests as garbage.
    v8.setFlagsFromString('--expose-gc');
    vm.runInNewContext('gc')();
    controller.abort();
    for (const body of bodies) await expect(body).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('the signal of another implementation, such as that of jsdom, aborts too', async () => {
    const at = await sandbox();
    const foreign = Object.assign(new EventTarget(), { aborted: false, reason: undefined });
    const stream = await at.fetch('/_sandbox/requests/stream', { signal: foreign as never });
    const body = stream.text();
    Object.assign(foreign, { aborted: true, reason: new Error('too late') });
    foreign.dispatchEvent(new Event('abort'));
    await expect(body).rejects.toThrow('too late');
    await expect(at.fetch('/', { signal: foreign as never })).rejects.toThrow('too late');
  });
});
