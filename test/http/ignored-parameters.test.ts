import { expect, onTestFinished, test } from 'vitest';
import { signPartnerRequest } from '../../src/client/partner-client.ts';
import { DEFAULT_CREDENTIAL } from '../../src/market/defaults.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';

const KEY = { key_id: DEFAULT_CREDENTIAL.keyId, secret: DEFAULT_CREDENTIAL.secret };
const URL_OF = 'http://localhost';

/** A sandbox that keeps its warnings, and a function that sends signed GET requests. */
async function opened() {
  const warnings: string[] = [];
  const sandbox = await openSandbox({
    inventory: 300,
    rateLimits: { default: undefined },
    onWarning: (text) => warnings.push(text),
  });
  onTestFinished(() => sandbox.close());
  const app = await sandbox.app();
  const get = async (target: string) => {
    const signed = signPartnerRequest(URL_OF, KEY, { method: 'GET', target }, Date.now());
    return (await app.fetch(new Request(signed.url, signed as RequestInit))).status;
  };
  return { warnings, get };
}

test('an ignored query parameter is warned of once, with those that the endpoint takes', async () => {
  const { warnings, get } = await opened();
  for (const cursor of ['evt_1', 'evt_2']) {
    expect(await get(`/api/partner/v1/events?cursor=${cursor}&limit=1`)).toBe(200);
  }
  expect(warnings).toEqual([
    'GET /api/partner/v1/events: query: "cursor" is not a parameter of this endpoint and was ignored; it takes after_id, limit',
  ]);
});

test('an unknown path is warned of once, with the nearest endpoint', async () => {
  const { warnings, get } = await opened();
  for (const path of ['order', 'order', 'order?limit=1', 'quote']) {
    expect(await get(`/api/partner/v1/${path}`)).toBe(404);
  }
  expect(warnings).toEqual([
    'no such endpoint: GET /api/partner/v1/order; nearest: GET /api/partner/v1/orders',
    'no such endpoint: GET /api/partner/v1/quote; nearest: POST /api/partner/v1/quotes',
  ]);
});

test('parameters that an endpoint takes are not warned of', async () => {
  const { warnings, get } = await opened();
  expect(await get('/api/partner/v1/orders?limit=1&status=SETTLED')).toBe(200);
  expect(warnings).toEqual([]);
});

test('a client cannot fill the console, nor show a secret there', async () => {
  const { warnings, get } = await opened();
  await get(`/api/partner/v1/events?${KEY.secret}=1`);
  expect(warnings.join()).not.toContain(KEY.secret);
  const names = Array.from({ length: 150 }, (_, n) => `x${n}=1`).join('&');
  await get(`/api/partner/v1/events?${names}`);
  await get('/api/partner/v1/events?another=1');
  expect(warnings).toHaveLength(100);
});
