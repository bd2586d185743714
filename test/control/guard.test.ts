import { networkInterfaces } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sessionTokenOf } from '../../src/control/session.ts';
import type { InProcessSandbox } from '../../src/index.ts';
import type { SandboxOptions } from '../../src/sandbox/options.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import { send } from '../support/calls.ts';
import { checkoutFor } from '../support/checkout.ts';
import { CONTROL_ENDPOINTS } from '../support/control-endpoints.ts';
import { orderFor } from '../support/orders.ts';
import { answered, rejection } from '../support/responses.ts';
import { sandbox, sharedSandbox } from '../support/sandbox.ts';
import { overWire } from '../support/wire.ts';

/** Asks for something that would be noticed: a reset, which takes the recorded order away. */
async function tryReset(at: InProcessSandbox, headers: Record<string, string>): Promise<Response> {
  return overWire(at, { method: 'POST', target: '/_sandbox/reset', headers });
}

async function orderCount(at: InProcessSandbox): Promise<number> {
  return (await at.control.get<{ orders: object[] }>('/orders')).orders.length;
}

async function guarded(open: typeof sharedSandbox = sandbox) {
  const at = await open({ port: 0 });
  await orderFor(at);
  return { at, host: new URL(at.url).host };
}

/** For calls that are rejected. */
const shared = await guarded(sharedSandbox);

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
  ])('%s cannot use the control API', async (host) => {
    const { at } = shared;
    const response = await tryReset(at, { Host: host });
    expect([400, 403]).toContain(response.status);
    await rejection(response);
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
    const reference = await (await at.fetch('/_sandbox/reference')).text();
    const [asset] = /\/_sandbox\/reference\/assets[^"]+/.exec(reference) ?? [];
    expect((await at.fetch(`http://evil.example${asset}`)).status).toBe(403);
    expect(await orderCount(at)).toBe(1);
  });

  test('does nothing on the partner API', async () => {
    const { at } = await guarded();
    const headers = { Host: 'shop.example' };
    const request = { method: 'GET', target: '/api/partner/v1/orders', headers };
    const response = await overWire(at, request);
    expect(await rejection(response)).toMatchObject({ code: 'missing_credentials' });
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
  ])('%s cannot use the control API', async (origin) => {
    const { at } = shared;
    const response = await tryReset(at, { Origin: origin });
    expect(await rejection(response)).toMatchObject({ status: 403, code: 'forbidden' });
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
    const look = async (dest: string) => {
      const headers = { ...navigating, 'Sec-Fetch-Dest': dest };
      return (await overWire(at, { method: 'GET', target: '/_sandbox/health', headers })).status;
    };
    expect([await look('document'), await look('iframe')]).toEqual([200, 403]);
  });

  test('gets neither a preflight approval nor a readable response', async () => {
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
    for (const response of [preflight, read]) {
      expect(response.ok).toBe(false);
      const names = [...response.headers.keys()];
      expect(names.filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(await response.text()).not.toContain('not_a_secret');
    }
  });
});

/** A sandbox with a token, asked in process for what tells something. */
async function withToken(options: SandboxOptions = {}) {
  const shop = await openSandbox({ inventory: 5, controlToken: 'open sesame', ...options });
  onTestFinished(() => shop.close());
  const app = shop.app;
  return (
    headers: Record<string, string>,
    origin = 'http://localhost',
    path = '/_sandbox/worlds/default',
    method = 'GET',
  ) => app.request(`${origin}${path}`, { method, headers });
}

describe('the token', () => {
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
  ])('must be shown: %j is rejected', async (headers) => {
    const ask = await withToken();
    const response = await rejection(await ask(headers as Record<string, string>));
    expect(response).toMatchObject({ status: 401, code: 'missing_credentials' });
    expect(response.message).toMatch(/^Authorization: (?!.*sesame).*SANDLOT_CONTROL_TOKEN/);
  });

  test.each(['127.0.0.1', '0.0.0.0', 'sandbox.internal'])(
    'in the header admits a call under any Host when listening on %s, but no other page',
    async (host) => {
      const ask = await withToken({ host });
      const token = { Authorization: 'Bearer open sesame' };
      const foreign = 'http://sandlot:4010';
      expect((await ask(token)).status).toBe(200);
      expect((await ask(token, foreign)).status).toBe(200);
      expect((await ask(token, foreign, '/_sandbox/clock/freeze', 'POST')).status).toBe(200);
      expect((await ask(token, foreign, '/_sandbox/dashboard/orders')).status).toBe(200);
      for (const from of [{ Origin: 'http://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
        expect((await ask({ ...token, ...from }, foreign)).status).toBe(403);
      }
    },
  );

  test('missing or wrong, a foreign Host is rejected before anything is said about it', async () => {
    const ask = await withToken({ host: '0.0.0.0' });
    for (const headers of [{}, { Authorization: 'Bearer open' }] as Record<string, string>[]) {
      const response = await rejection(await ask(headers, 'http://sandlot:4010'));
      expect(response).toMatchObject({ status: 403, code: 'forbidden' });
      expect(response.message).toMatch(/^Host: "sandlot:4010" .*--public-url/);
    }
  });

  test.each(['127.0.0.1', '0.0.0.0'])(
    'as the cookie of a browser session admits no foreign Host when listening on %s',
    async (host) => {
      const ask = await withToken({ host });
      for (const [origin, port, status] of [
        ['http://localhost:4010', '4010', 200],
        ['http://sandlot:4010', '4010', 403],
        ['http://sandlot', '80', 403],
      ] as const) {
        const Cookie = `sandlot_control_${port}=${sessionTokenOf('open sesame')}`;
        expect((await ask({ Cookie }, origin)).status, origin).toBe(status);
        expect((await ask({ Cookie }, origin, '/_sandbox/dashboard/orders')).status).toBe(status);
        const act = await ask({ Cookie, Origin: origin }, origin, '/_sandbox/clock/freeze', 'POST');
        expect(act.status, origin).toBe(status);
      }
    },
  );

  test('has no effect on the partner API', async () => {
    const ask = await withToken();
    const response = await rejection(await ask({}, undefined, '/api/partner/v1/orders'));
    expect(response).toMatchObject({ code: 'missing_credentials' });
  });
});

test('the address of --host is let in beside loopback names', async () => {
  const ask = await withToken({ host: 'sandbox.internal', controlToken: undefined });
  expect((await ask({}, 'http://sandbox.internal:4010')).status).toBe(200);
  expect((await ask({}, 'http://localhost')).status).toBe(200);
  expect((await ask({}, 'http://other.internal')).status).toBe(403);
});

test('listening on every address, the address that a connection came in on is the one of --host', async () => {
  const shop = await openSandbox({ inventory: 5, host: '0.0.0.0', controlToken: 'open sesame' });
  onTestFinished(() => shop.close());
  const { port } = await shop.listen('0.0.0.0', 0);
  const ask = (hostname: string, host: string) =>
    overWire({ url: `http://${hostname}:${port}` } as InProcessSandbox, {
      method: 'GET',
      target: '/_sandbox/worlds',
      headers: { Host: host },
    });
  const own = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal)?.address;
  if (own !== undefined) {
    expect((await ask(own, `${own}:${port}`)).status).toBe(401);
    expect((await ask('127.0.0.1', `${own}:${port}`)).status).toBe(403);
  }
  expect((await ask('127.0.0.1', '10.1.2.3')).status).toBe(403);
  expect((await ask('127.0.0.1', `0.0.0.0:${port}`)).status).toBe(403);
});

describe('the public URL', () => {
  const publicUrl = 'https://sandbox.example:8443/';

  test('lets its host in, and its own pages', async () => {
    const ask = await withToken({ publicUrl, controlToken: undefined });
    const at = 'http://sandbox.example:8443';
    const freeze = '/_sandbox/clock/freeze';
    expect((await ask({}, at)).status).toBe(200);
    expect((await ask({}, 'http://sandbox.example')).status).toBe(200);
    expect((await ask({}, 'http://other.example:8443')).status).toBe(403);
    const own = { Origin: 'https://sandbox.example:8443', 'Sec-Fetch-Site': 'same-origin' };
    expect((await ask(own, at, freeze, 'POST')).status).toBe(200);
    // A proxy that names the address behind it.
    expect((await ask(own, 'http://127.0.0.1:4010', freeze, 'POST')).status).toBe(200);
    for (const Origin of ['https://sandbox.example', 'http://evil.example']) {
      expect((await ask({ Origin }, at, freeze, 'POST')).status, Origin).toBe(403);
    }
  });

  test('is the address in checkout, referral and progress links', async () => {
    const at = await sandbox({ publicUrl });
    const links = [
      (await checkoutFor(at)).checkout_url,
      answered<{ url: string }>(await send(at, '/links', { kind: 'generic' }), 201).then(
        ({ url }) => url,
      ),
      answered<{ progress_url: string }>(
        await send(at, '/brokerage', {
          domain: 'somebody-has-this.com',
          tier: 'managed',
          buyer_email: 'ada@example.com',
          budget_cents: 100_000,
        }),
        201,
      ).then(({ progress_url }) => progress_url),
    ];
    for (const link of await Promise.all(links)) {
      expect(link).toMatch(/^https:\/\/sandbox\.example:8443\/\w/);
      expect((await at.fetch(link)).status).toBeLessThan(400);
    }
  });

  test('is not in the status, which has the address where the sandbox listens', async () => {
    const at = await sandbox({ publicUrl, port: 0 });
    expect(at.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await at.control.get('/status')).toMatchObject({
      ...{ url: at.url, dashboard_url: `${at.url}/_sandbox/`, env: { SANDLOT_URL: at.url } },
    });
    expect(await (await at.fetch('/_sandbox/dashboard/orders')).text()).toContain(
      `--url ${at.url}`,
    );
  });
});

describe('GET /_sandbox/health', () => {
  test('needs no token and no name, and reveals nothing', async () => {
    const ask = await withToken({ host: '0.0.0.0' });
    const health = (origin: string, query = '', method = 'GET') =>
      ask({}, origin, `/_sandbox/health${query}`, method);
    for (const origin of ['http://localhost', 'http://sandlot:4010']) {
      for (const query of ['', '?world=default', '?world=nowhere']) {
        const response = await health(origin, query);
        expect(response.status).toBe(200);
        expect(await response.text()).toBe('{"status":"ok"}');
      }
      expect((await health(origin, '', 'HEAD')).status).toBe(200);
    }
  });

  test('is the only route that does', async () => {
    const open = CONTROL_ENDPOINTS.filter((each) => each.public);
    expect(open.map(({ path }) => path)).toEqual(['/health']);
    const ask = await withToken();
    for (const { method, path } of CONTROL_ENDPOINTS) {
      if (path === '/health') continue;
      const response = await ask({}, undefined, `/_sandbox${path.replace(/:\w+/g, 'x')}`, method);
      expect(response.status, `${method} ${path}`).toBe(401);
    }
  });

  test('sends a page of another site nothing', async () => {
    const ask = await withToken();
    const from = { Origin: 'http://evil.example', 'Sec-Fetch-Site': 'cross-site' };
    expect((await ask(from, 'http://localhost', '/_sandbox/health')).status).toBe(403);
  });
});
