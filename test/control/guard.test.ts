import { describe, expect, onTestFinished, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { openSandbox } from '../../src/sandbox.ts';
import { refusal } from '../support/answers.ts';
import { sandbox } from '../support/sandbox.ts';
import { orderFor } from '../support/trade.ts';
import { overWire } from '../support/wire.ts';

/** Asks for something that would be noticed: a reset, which takes the recorded order away. */
async function tryReset(at: InProcessSandbox, headers: Record<string, string>): Promise<Response> {
  return overWire(at, { method: 'POST', target: '/_sandbox/reset', headers });
}

async function orderCount(at: InProcessSandbox): Promise<number> {
  return (await at.control.get<{ orders: object[] }>('/orders')).orders.length;
}

async function guarded() {
  const at = await sandbox({ port: 0 });
  await orderFor(at);
  return { at, host: new URL(at.url).host };
}

describe('the Host', () => {
  test.each([
    'evil.example',
    'evil.example:4010',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil-localhost',
    'localhost@evil.example',
    '192.168.0.1',
    '0.0.0.0',
    '10.0.0.1:80',
    '[::2]',
    '[::ffff:10.0.0.1]',
    '128.0.0.1',
    '1270.0.0.1',
  ])('%s may steer nothing', async (host) => {
    const { at } = await guarded();
    const answer = await tryReset(at, { Host: host });
    expect([400, 403]).toContain(answer.status);
    await refusal(answer);
    expect(await orderCount(at)).toBe(1);
  });

  test.each([
    '127.0.0.1',
    '127.0.0.1:4010',
    '127.8.9.10',
    'localhost',
    'LOCALHOST:1',
    '[::1]:4010',
    '[::1]',
    'w1.localhost',
  ])('%s is ours', async (host) => {
    const { at } = await guarded();
    expect((await tryReset(at, { Host: host })).status).toBe(200);
    expect(await orderCount(at)).toBe(0);
  });

  test('in the url counts as well, in process', async () => {
    const { at } = await guarded();
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' };
    expect((await at.fetch('http://evil.example/_sandbox/reset', init)).status).toBe(403);
    expect(await orderCount(at)).toBe(1);
  });

  test('means nothing to the partner door', async () => {
    const { at } = await guarded();
    const target = '/api/partner/v1/orders';
    const answer = await overWire(at, { method: 'GET', target, headers: { Host: 'shop.example' } });
    expect(await refusal(answer)).toMatchObject({ code: 'missing_credentials' });
  });
});

describe('the Origin', () => {
  test.each([
    'http://evil.example',
    'https://localhost.evil.example',
    'null',
    'file://',
    'http://127.0.0.1:1',
    'http://localhost',
    'chrome-extension://abcdef',
    'https://127.0.0.1',
    'not a url',
  ])('%s may steer nothing', async (origin) => {
    const { at } = await guarded();
    const answer = await tryReset(at, { Origin: origin });
    expect(await refusal(answer)).toMatchObject({ status: 403, code: 'forbidden' });
    expect(await orderCount(at)).toBe(1);
  });

  test('of the sandbox itself is its own dashboard', async () => {
    const { at, host } = await guarded();
    expect((await tryReset(at, { Origin: `http://${host}` })).status).toBe(200);
    expect(await orderCount(at)).toBe(0);
  });

  test('counts as a whole: scheme and user name are part of it', async () => {
    const { at, host } = await guarded();
    for (const origin of [`https://${host}`, `ftp://${host}`, `http://evil.example@${host}`]) {
      expect((await tryReset(at, { Origin: origin })).status, origin).toBe(403);
    }
    expect(await orderCount(at)).toBe(1);
  });

  test('is not all that counts: a browser says itself that a page is another site', async () => {
    const { at } = await guarded();
    expect((await tryReset(at, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    const navigating = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' };
    expect((await tryReset(at, navigating)).status).toBe(403);
    expect(await orderCount(at)).toBe(1);
    const look = { method: 'GET', target: '/_sandbox/health', headers: navigating };
    expect((await overWire(at, look)).status).toBe(200);
  });

  test('gets no leave from a preflight, and no answer that a page could read', async () => {
    const { at } = await guarded();
    const preflight = await overWire(at, {
      method: 'OPTIONS',
      target: '/_sandbox/reset',
      headers: { Origin: 'http://evil.example', 'Access-Control-Request-Method': 'POST' },
    });
    const read = await overWire(at, {
      method: 'GET',
      target: '/_sandbox/credentials/dmk_sandbox_local',
      headers: { Origin: 'http://evil.example' },
    });
    for (const answer of [preflight, read]) {
      expect(answer.ok).toBe(false);
      const names = [...answer.headers.keys()];
      expect(names.filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(await answer.text()).not.toContain('not_a_secret');
    }
  });
});

describe('the token', () => {
  async function withToken(listensOn = '127.0.0.1') {
    const token = { controlToken: 'open sesame' };
    const shop = await openSandbox({ inventory: 5, host: listensOn, ...token });
    onTestFinished(() => shop.close());
    const app = await shop.app();
    return (headers: Record<string, string>, host = 'localhost') =>
      app.request(`http://${host}/_sandbox/worlds/default`, { headers });
  }

  test.each([
    {},
    { Authorization: '' },
    { Authorization: 'open sesame' },
    { Authorization: 'Bearer' },
    { Authorization: 'Bearer open' },
    { Authorization: 'Bearer open sesame!' },
    { Authorization: 'Bearer OPEN SESAME' },
    { Authorization: 'Basic b3BlbiBzZXNhbWU=' },
    { 'X-Control-Token': 'open sesame' },
  ])('must be shown: %j is refused', async (headers) => {
    const ask = await withToken();
    const answer = await refusal(await ask(headers as Record<string, string>));
    expect(answer).toMatchObject({ status: 401, code: 'missing_credentials' });
    expect(answer.message).not.toContain('sesame');
  });

  test('opens the door under no foreign host name', async () => {
    const ask = await withToken();
    const token = { Authorization: 'Bearer open sesame' };
    expect((await ask(token)).status).toBe(200);
    expect((await ask(token, 'rebound.example')).status).toBe(403);
  });

  test('opens the door under any name where it listens on every address, but to no other page', async () => {
    const ask = await withToken('0.0.0.0');
    const token = { Authorization: 'Bearer open sesame' };
    expect((await ask(token)).status).toBe(200);
    expect((await ask(token, 'sandlot.internal:4010')).status).toBe(200);
    expect((await ask({ ...token, Origin: 'http://evil.example' })).status).toBe(403);
  });

  test('does nothing for the partner door', async () => {
    const shop = await openSandbox({ inventory: 5, controlToken: 'open sesame' });
    onTestFinished(() => shop.close());
    const answer = await (await shop.app()).request('http://localhost/api/partner/v1/orders');
    expect(await refusal(answer)).toMatchObject({ code: 'missing_credentials' });
  });
});

test('a configured host name is let in beside loopback ones', async () => {
  const shop = await openSandbox({ inventory: 5, host: 'sandbox.internal' });
  onTestFinished(() => shop.close());
  const ask = async (host: string) => (await shop.app()).request(`http://${host}/_sandbox/health`);
  expect((await ask('sandbox.internal:4010')).status).toBe(200);
  expect((await ask('localhost')).status).toBe(200);
  expect((await ask('other.internal')).status).toBe(403);
});
