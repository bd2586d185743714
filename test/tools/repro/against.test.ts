import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AgainstResult } from '../../../src/tools/repro/against/run.ts';
import { commandLine } from '../../cli/command-line.ts';
import { takeViolations } from '../../support/openapi/watch.ts';
import { orderFor } from '../../support/orders.ts';
import { sharedSandbox } from '../../support/sandbox.ts';
import { seededListing } from '../../support/seeded-listings.ts';
import { stateFolder } from '../../support/state-folder.ts';
import { type Change, type Json, proxy, server, target } from './against-target.ts';

const KEY = { SANDLOT_KEY_ID: 'dmk_sandbox_local', SANDLOT_SECRET: '' };
const cwd = stateFolder(afterAll);
let domain = '';
const at = await sharedSandbox();

/** Records a sale, with a fault, an expired quote, a wrong signature and lists. */
beforeAll(async () => {
  KEY.SANDLOT_SECRET = at.credential.secret;
  domain = (await seededListing(1)).domain;
  const get = (target: string) => at.call({ method: 'GET', target: `/api/partner/v1${target}` });
  const post = (target: string, body: object, headers = {}) =>
    at.call({ method: 'POST', target: `/api/partner/v1${target}`, body, headers });
  await get(`/pricing?domain=${domain}`);
  await get('/domains/search?q=coffee');
  await get('/pricing?domain=nobody-lists-this.example');
  const { quote_id } = (await (await post('/quotes', { domain })).json()) as { quote_id: string };
  const body = { quote_id, external_payment_ref: 'pay-1', buyer: { email: 'a@shop.example' } };
  const key = { 'Idempotency-Key': 'k-1' };
  const order = (await (await post('/orders', body, key)).json()) as { public_id: string };
  await post('/orders', body, key);
  await get(`/orders/${order.public_id}`);
  await at.control.post(`/orders/${order.public_id}/advance`, {});
  await get(`/orders/${order.public_id}`);
  await orderFor(at, 2);
  await get('/orders');
  await at.control.post('/clock/advance', { by: '11m' });
  await get('/events');
  await commandLine(at, { cwd })('repro export bug.repro.gz');
});

function run(options: string, env: Record<string, string> = KEY) {
  return commandLine(undefined, { cwd, fetch: fetch as never, env })(
    `repro replay bug.repro.gz ${options}`,
  );
}

test('the same version differs in nothing, and an order that is not sent makes its reads not measured', async () => {
  const done = await run(`--against ${await target()} --json`);
  expect(done.stderr).toContain('Plan: send 8 of 11 partner API requests.');
  const result = done.json<AgainstResult>();
  expect({ code: done.code, differences: result.differences }).toEqual({
    code: 0,
    differences: [],
  });
  expect(result.compared.values).toBeGreaterThan(5);
  expect(result.operations).toContainEqual({
    ...{
      operation: 'GET /orders/{public_id}',
      same: 0,
      differs: 0,
      not_measured: 2,
      not_served: 0,
    },
    reason: expect.stringContaining('POST /orders'),
  });
});

test('with writes and the control API, the same version is the same', async () => {
  const done = await run(`--against ${await target()} --allow-writes --control --json`);
  const result = done.json<AgainstResult>();
  expect({ code: done.code, differences: result.differences }).toEqual({
    code: 0,
    differences: [],
  });
  expect(result.operations.filter((each) => each.not_measured + each.not_served > 0)).toEqual([]);
});

test.each<[string, RegExp, Change, object]>([
  [
    'a type',
    /POST .*quotes/,
    (body) => {
      body.price_cents = String(body.price_cents);
    },
    { kind: 'type', path: 'price_cents' },
  ],
  [
    'a value',
    /POST .*quotes/,
    (body) => {
      body.price_cents = 1;
    },
    { kind: 'value', path: 'price_cents' },
  ],
  [
    'a field that is missing',
    /POST .*quotes/,
    (body) => {
      delete body.expires_at;
    },
    { kind: 'missing', path: 'expires_at' },
  ],
  [
    'a field that is added',
    /POST .*quotes/,
    (body) => {
      body.extra = 1;
    },
    { kind: 'added', path: 'extra' },
  ],
  [
    'a status',
    /nobody-lists/,
    (_body, response) => {
      response.statusCode = 410;
    },
    { kind: 'status', path: 'status' },
  ],
  [
    'a code',
    /nobody-lists/,
    (body) => {
      (body.error as Json).code = 'gone';
    },
    { kind: 'code', path: 'error.code' },
  ],
  [
    'a content type',
    /pricing\?domain=(?!nobody)/,
    (_body, response) => response.setHeader('content-type', 'text/json'),
    { kind: 'header', path: 'content-type' },
  ],
  [
    'a Retry-After',
    /nobody-lists/,
    (_body, response) => response.setHeader('retry-after', '3'),
    { kind: 'header', path: 'retry-after' },
  ],
  [
    'the order of a list',
    /search/,
    (body) => (body.domains as unknown[]).reverse(),
    { kind: 'order', path: 'domains' },
  ],
  [
    'the order of a list with ids of its own',
    /GET .*orders$/,
    (body) => (body.orders as unknown[]).reverse(),
    { kind: 'order', path: 'orders' },
  ],
  [
    'the order of events that nothing named before',
    /GET .*events/,
    (body) => (body.events as unknown[]).reverse(),
    { kind: 'order', path: 'events' },
  ],
  [
    'a value of a write',
    /POST .*orders/,
    (body) => {
      if (body.domain !== domain) body.currency = 'EUR';
    },
    { kind: 'value', path: 'currency' },
  ],
  [
    'cents with a fraction',
    /POST .*quotes/,
    (body) => {
      body.price_cents = Number(body.price_cents) + 0.5;
    },
    { kind: 'type', path: 'price_cents', recorded: 'integer', replayed: 'number' },
  ],
  [
    'null instead of text',
    /GET .*orders$/,
    (body) => Object.assign((body.orders as Json[])[0] ?? {}, { currency: null }),
    { kind: 'type', path: expect.stringMatching(/^orders\[ord_\w+\]\.currency$/) },
  ],
  [
    'an order that is missing',
    /GET .*orders$/,
    (body) => (body.orders as unknown[]).pop(),
    { kind: 'missing', path: expect.stringMatching(/^orders\[ord_\w+\]$/) },
  ],
])(
  '%s that another sandbox changes is named, and nothing else',
  async (_name, matches, change, difference) => {
    const { url } = await proxy(await target(), matches, change);
    const done = await run(`--against ${url} --allow-writes --control --json`);
    expect(done.json<AgainstResult>().differences).toEqual([expect.objectContaining(difference)]);
    expect(done.code).toBe(1);
    // It is the proxy that the documents do not describe.
    takeViolations();
  },
);

test('no write is sent without the flag', async () => {
  const { url, requests } = await proxy(await target());
  await run(`--against ${url}`);
  const sent = requests.filter((each) => !each.startsWith('GET '));
  expect(sent).toEqual(['POST /api/partner/v1/quotes']);
});

test('redirects are not followed', async () => {
  const other = await server((_request, response) => response.end());
  const { url } = await server((_request, response) =>
    response.writeHead(302, { location: other.url }).end(),
  );
  expect(await run(`--against ${url}`)).toMatchObject({ code: 3 });
  expect(other.requests).toEqual([]);
  takeViolations();
});

test.each([
  ['', {}, '--against: set SANDLOT_KEY_ID'],
  ['', { SANDLOT_KEY_ID: 'dmk_live_acme', SANDLOT_SECRET: 'x' }, 'SANDLOT_KEY_ID is a LIVE key'],
  [
    '',
    { SANDLOT_KEY_ID: 'a', SANDLOT_SECRET: 'x', SANDLOT_KEY_ID_2: 'dmk_live_acme' },
    'SANDLOT_KEY_ID_2 is a LIVE key',
  ],
  ['--domain brew.io', KEY, '--domain: must be RECORDED=USED'],
  ['--state other.json', KEY, '--state: other.json is of another'],
])('with %s and %j nothing is sent, and it exits 2', async (options, env, message) => {
  fs.writeFileSync(
    path.join(cwd, 'other.json'),
    JSON.stringify({ file: 'x', url: 'y', bindings: [], outcomes: [] }),
  );
  const { url, requests } = await server((_request, response) => response.end());
  const done = await run(`--against ${url} ${options}`, env);
  expect(done).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  expect(requests).toEqual([]);
});

test.each([
  ['ftp://a.example', 'must be an http or https URL'],
  ['https://me:pw@a.example', 'without user info'],
  ['https://a.example/api', 'must be an address without a path'],
  ['http://a.example', 'http is only for a loopback address'],
])('--against %s exits 2', async (url, message) => {
  expect(await run(`--against ${url}`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(message),
  });
});

test('--plan sends nothing', async () => {
  const { url, requests } = await server((_request, response) => response.end());
  expect(await run(`--against ${url} --plan`)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Plan: send 8'),
  });
  expect(requests).toEqual([]);
});

test('a closed port, a page and a rejected credential exit 3', async () => {
  expect(await run('--against http://127.0.0.1:1')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('nothing responds'),
  });
  const page = await server((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<p>'),
  );
  expect(await run(`--against ${page.url}`)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('not as the partner API'),
  });
  const wrong = await proxy(await target());
  const rejected = await run(`--against ${wrong.url}`, { ...KEY, SANDLOT_SECRET: 'wrong' });
  expect(rejected).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('401 invalid_signature'),
  });
  expect(wrong.requests).toHaveLength(2);
  takeViolations();
});
