import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createSandbox, type InProcessSandbox } from '../../../src/index.ts';
import { lazilyAsync } from '../../../src/kernel/lazily.ts';
import { systemRuntime } from '../../../src/kernel/runtime.ts';
import type { AgainstResult } from '../../../src/tools/repro/against/run.ts';
import { readRepro, writeRepro } from '../../../src/tools/repro/read-repro.ts';
import { requestsOf } from '../../../src/tools/repro/select.ts';
import { commandLine } from '../../cli/command-line.ts';
import { takeViolations } from '../../support/openapi/watch.ts';
import { mint, orderBody, orderFor, quoteFor, requestOrder } from '../../support/orders.ts';
import { INVENTORY, sandbox } from '../../support/sandbox.ts';
import { seededListing } from '../../support/seeded-listings.ts';
import { stateFolder } from '../../support/state-folder.ts';
import { type Json, proxy, server, target } from './against-target.ts';

const V1 = '/api/partner/v1';
const get = (at: InProcessSandbox, path: string) =>
  at.call({ method: 'GET', target: `${V1}${path}` });

type Act = (at: InProcessSandbox) => Promise<unknown>;

async function record(act: Act, given?: InProcessSandbox) {
  const at = given ?? (await sandbox());
  await act(at);
  return { at, bytes: (await at.exportRepro()).bytes };
}

/** Records what `act` does; returns a command line that sends it elsewhere, in a world of its own credentials. */
async function recorded(act: Act, given?: InProcessSandbox) {
  const { at, bytes } = act === quotes ? await recordedQuotes() : await record(act, given);
  const cwd = stateFolder();
  fs.writeFileSync(path.join(cwd, 'bug.repro.gz'), bytes);
  const slept: number[] = [];
  const runtime = { ...systemRuntime, sleep: async (ms: number) => void slept.push(ms) };
  const env = { SANDLOT_KEY_ID: at.credential.key_id, SANDLOT_SECRET: at.credential.secret };
  const command = commandLine(undefined, { cwd, fetch: fetch as never, env, runtime });
  const run = async (options: string, more: Parameters<typeof command>[1] = {}) => {
    const done = await command(`repro replay bug.repro.gz --json --against ${options}`, more);
    // The documents describe neither proxies nor changed files.
    takeViolations();
    return { ...done, result: () => done.json<AgainstResult>() };
  };
  return { at, bytes, cwd, slept, run };
}

const operationIn = ({ operations }: AgainstResult, name: string) =>
  operations.find(({ operation }) => operation === name);

const quotes = async (at: InProcessSandbox) => {
  await quoteFor(at, (await seededListing(1)).domain);
  await quoteFor(at, (await seededListing(2)).domain);
};

const recordedQuotes = lazilyAsync(() => record(quotes));

test('a 429 that the file does not have waits for Retry-After, and is sent again with a new nonce', async () => {
  const { run, slept } = await recorded(quotes);
  let left = 2;
  const { url, nonces } = await proxy(await target(), /POST/, (body, response) => {
    if (left === 0) return;
    left -= 1;
    response.statusCode = 429;
    response.setHeader('retry-after', '7');
    body.error = { code: 'rate_limited', message: 'wait' };
  });
  const { code, result } = await run(url);
  expect({ code, slept, differences: result().differences }).toEqual({
    code: 0,
    slept: [7_000, 7_000],
    differences: [],
  });
  expect(new Set(nonces).size).toBe(4);
});

test('what a rate limit always rejects is not measured', async () => {
  const { run, slept } = await recorded(quotes);
  const { url } = await proxy(await target(), /POST/, (body, response) => {
    response.statusCode = 429;
    response.setHeader('retry-after', '1');
    body.error = { code: 'rate_limited', message: 'wait' };
  });
  const { code, result } = await run(url);
  expect({ code, slept: slept.length }).toEqual({ code: 3, slept: 10 });
  expect(operationIn(result(), 'POST /quotes')).toMatchObject({
    not_measured: 2,
    reason: 'a rate limit rejects it 6 times',
  });
});

test('a 429 of a fault, which the file has, is compared and not sent again', async () => {
  const { run, slept } = await recorded(async (at) => {
    await at.control.post('/faults', {
      match: { path: '/api/partner/v1/quotes' },
      effect: { status: 429 },
      times: 1,
    });
    await at.call({ method: 'POST', target: `${V1}/quotes`, body: { domain: 'brew.io' } });
  });
  const { url, requests } = await proxy(await target());
  const { code, result } = await run(`${url} --control`);
  expect({ code, slept, differences: result().differences }).toEqual({
    ...{ code: 0, slept: [], differences: [] },
  });
  expect(requests.filter((each) => each.startsWith('POST'))).toHaveLength(2);
});

test('no response in 30 s is not measured', async () => {
  const { run } = await recorded(quotes);
  const { url } = await server(({ method }, response) => {
    if (method === 'GET') response.end('{}');
    else for (const expire of timers) expire();
  });
  const timers = new Set<() => void>();
  const after = (ms: number, task: () => void) => {
    expect(ms).toBe(30_000);
    timers.add(task);
    return () => timers.delete(task);
  };
  const { code, result } = await run(url, { runtime: { ...systemRuntime, after } });
  expect(code).toBe(3);
  expect(result().operations).toEqual([
    {
      ...{ operation: 'POST /quotes', same: 0, differs: 0, not_measured: 2, not_served: 0 },
      reason: 'no response in 30 s',
    },
  ]);
});

test('a delay is no difference; both durations are in the result, the recorded one if acts show it', async () => {
  const { run, bytes, cwd } = await recorded(async (at) => {
    await quoteFor(at, (await seededListing(1)).domain);
    const match = { path: '/api/partner/v1/quotes' };
    await at.control.post('/faults', { match, effect: { delay_ms: 1 }, times: 1 });
    await quoteFor(at, (await seededListing(2)).domain);
  });
  const repro = await readRepro(bytes);
  const delayed = requestsOf(repro.inputs).at(-1);
  const last = repro.inputs.at(-1);
  if (delayed?.acts.length !== 2 || last?.kind !== 'act') throw new Error('it was not delayed');
  last.at = delayed.at + 7_000;
  fs.writeFileSync(path.join(cwd, 'bug.repro.gz'), writeRepro(repro));
  let now = 0;
  const monotonic = () => (now += 5_000);
  const { code, result } = await run(await target(), { runtime: { ...systemRuntime, monotonic } });
  expect(code).toBe(0);
  expect(result().durations).toEqual([
    { input: '1', replayed_ms: 5_000 },
    { input: String(delayed.acts[0]), recorded_ms: 7_000, replayed_ms: 5_000 },
  ]);
});

test('a GET is sent twice, and what differs between the two is not compared', async () => {
  const { run } = await recorded((at) => get(at, `/domains/search?q=coffee`));
  let n = 0;
  const { url, requests } = await proxy(await target(), /search/, (body) => {
    n += 1;
    const [first] = body.domains as Json[];
    if (first) first.price_cents = n;
  });
  const { code, result } = await run(url);
  expect({ code, differences: result().differences }).toEqual({ code: 0, differences: [] });
  expect(requests.filter((each) => each.includes('search'))).toHaveLength(2);
});

test('a GET whose status differs between the two is not measured', async () => {
  const { run } = await recorded((at) => get(at, '/orders'));
  let n = 0;
  const { url } = await proxy(await target(), /orders/, (_body, response) => {
    n += 1;
    if (n === 2) response.statusCode = 500;
  });
  expect((await run(url)).result().operations).toMatchObject([
    { not_measured: 1, reason: 'two responses in a row differ' },
  ]);
});

test('while a fault is active, a GET is sent once', async () => {
  const { run } = await recorded(async (at) => {
    await at.control.post('/faults', {
      match: { path: '/api/partner/v1/orders' },
      effect: { status: 500 },
      times: 1,
    });
    await get(at, '/orders');
    await get(at, '/orders');
  });
  const { url, requests } = await proxy(await target());
  const { code, result } = await run(`${url} --control`);
  expect({ code, differences: result().differences }).toEqual({ code: 0, differences: [] });
  expect(requests.filter((each) => each.includes('/v1/orders'))).toHaveLength(2);
});

test('--domain uses another domain in path, query and body', async () => {
  const [{ domain }, used] = [await seededListing(1), await seededListing(2)];
  const { run } = await recorded(async (at) => {
    await get(at, `/pricing?domain=${domain}`);
    await get(at, `/domains/${domain}`);
    await quoteFor(at, domain);
  });
  const { url, requests, bodies } = await proxy(await target());
  const { result } = await run(`${url} --domain ${domain}=${used.domain}`);
  expect([...requests, ...bodies].join()).not.toContain(domain);
  expect(requests).toContain(`GET ${V1}/domains/${used.domain}`);
  expect(bodies).toContain(JSON.stringify({ domain: used.domain }));
  // They have other prices.
  expect(result().differences.map(({ kind }) => kind)).not.toContain('status');
});

test.each(['brew.io', 'brew.io=', '=brew.io', 'a.io=b.io=c.io'])(
  '--domain %s exits 2, and nothing is sent',
  async (domain) => {
    const { run } = await recorded(quotes);
    const { url, requests } = await server((_request, response) => response.end());
    expect(await run(`${url} --domain ${domain}`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--domain: must be RECORDED=USED'),
    });
    expect(requests).toEqual([]);
  },
);

test('the second credential of a file is SANDLOT_KEY_ID_2; without it, its requests are not measured', async () => {
  const { run, at } = await recorded(async (at) => {
    await quoteFor(at, (await seededListing(1)).domain);
    const other = await mint(at, { partner: 'Other' });
    await quoteFor(at, (await seededListing(2)).domain, other);
  });
  const to = await target();
  const { url, requests } = await proxy(to);
  const without = await run(url);
  expect(operationIn(without.result(), 'POST /quotes')).toMatchObject({
    ...{ same: 1, not_measured: 1, reason: expect.stringMatching(/^no credential for dmk_/) },
  });
  expect(requests.filter((each) => each.startsWith('POST'))).toHaveLength(1);
  const response = await fetch(`${to}/_sandbox/credentials`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ partner: 'Mine' }),
  });
  const mine = (await response.json()) as { key_id: string; secret: string };
  const { key_id, secret } = at.credential;
  const env = { SANDLOT_KEY_ID: key_id, SANDLOT_SECRET: secret };
  const second = { SANDLOT_KEY_ID_2: mine.key_id, SANDLOT_SECRET_2: mine.secret };
  const { result } = await run(to, { env: { ...env, ...second } });
  expect(operationIn(result(), 'POST /quotes')).toMatchObject({ same: 2, not_measured: 0 });
});

test.each([404, 405, 501])('an operation with only %i is not served', async (status) => {
  const { run } = await recorded(quotes);
  const { url } = await proxy(await target(), /POST/, (body, response) => {
    response.statusCode = status;
    body.error = { code: 'not_found', message: 'no' };
  });
  const { code, result } = await run(url);
  expect({ code, operations: result().operations }).toEqual({
    code: 3,
    operations: [
      { operation: 'POST /quotes', same: 0, differs: 0, not_measured: 0, not_served: 2 },
    ],
  });
});

test('one 404 of two is a difference', async () => {
  const { run } = await recorded(quotes);
  let n = 0;
  const { url } = await proxy(await target(), /POST/, (_body, response) => {
    n += 1;
    if (n === 2) response.statusCode = 404;
  });
  const { code, result } = await run(url);
  expect({ code, differences: result().differences }).toEqual({
    code: 1,
    differences: [expect.objectContaining({ kind: 'status', recorded: 201, replayed: 404 })],
  });
});

test('an id is replaced under its field name only', async () => {
  const { run } = await recorded(async (at) => {
    const sold = await seededListing(1);
    const { quote_id } = await quoteFor(at, sold.domain);
    await requestOrder(at, orderBody(sold, { quote_id, external_payment_ref: quote_id }));
  });
  const { url, bodies } = await proxy(await target());
  const { code } = await run(`${url} --allow-writes`);
  expect(code).toBe(0);
  const sent = JSON.parse(bodies.at(-1) ?? '') as Json;
  expect(sent.quote_id).not.toBe(sent.external_payment_ref);
});

test('what the world had before a file is not measured', async () => {
  const dataDir = stateFolder();
  const before = await createSandbox({ dataDir, inventory: INVENTORY, port: false });
  const order = await orderFor(before, 1);
  await before.close();
  const at = await sandbox({ dataDir });
  const { run, bytes } = await recorded(async () => {
    await get(at, `/orders/${order.public_id}`);
    await get(at, '/orders');
    await get(at, `/pricing?domain=${(await seededListing(2)).domain}`);
    await at.call({ method: 'POST', target: `${V1}/quotes`, body: { domain: order.domain } });
  }, at);
  expect((await readRepro(bytes)).head.base.type).toBe('rows');
  const { code, result } = await run(await target());
  expect({ code, operations: result().operations }).toMatchObject({
    code: 0,
    operations: [
      { operation: 'GET /orders/{public_id}', not_measured: 1 },
      { operation: 'GET /orders', not_measured: 1, reason: 'needs what the world had before' },
      { operation: 'GET /pricing', same: 1 },
      { operation: 'POST /quotes', not_measured: 1 },
    ],
  });
});

test('with --control, faults, clock, inventory and advance are sent to a fresh world, and nothing differs', async () => {
  const { run } = await recorded(async (at) => {
    await at.control.post('/inventory', { domain: 'one-more.example', price_cents: 500_00 });
    await at.control.patch('/inventory/one-more.example', { price_cents: 600_00 });
    await get(at, '/pricing?domain=one-more.example');
    const order = await orderFor(at, 1);
    await at.control.post('/clock/advance', { by: '2d' });
    await at.control.post(`/orders/${order.public_id}/advance`, {});
    await get(at, `/orders/${order.public_id}`);
    await at.control.post('/clock/set', { to: '2026-06-01T00:00:00.000Z' });
    await quoteFor(at, (await seededListing(2)).domain);
    await at.control.post('/snapshots', { name: 'kept' });
    await at.control.post('/reset', {});
  });
  const to = await target();
  const { url, requests } = await proxy(to);
  const { code, result } = await run(`${url} --allow-writes --control`);
  expect({ code, differences: result().differences }).toEqual({ code: 0, differences: [] });
  const sent = requests.map((each) => each.replace(/ord_\w+/, 'ID').replace(/\?.*/, ''));
  expect(sent.filter((each) => each.includes('/_sandbox/') && !each.startsWith('GET'))).toEqual([
    'POST /_sandbox/inventory',
    'PATCH /_sandbox/inventory/one-more.example',
    'POST /_sandbox/clock/advance',
    'POST /_sandbox/orders/ID/advance',
    'POST /_sandbox/clock/advance',
  ]);
  const again = await run(`${to} --allow-writes --control`);
  expect(again).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the world has quotes or orders'),
  });
});

test('targets that lead to another host or out of their path are never sent', async () => {
  const { run, bytes, cwd } = await recorded(quotes);
  const other = await server((_request, response) => response.end('{}'));
  const repro = await readRepro(bytes);
  const [first, second] = requestsOf(repro.inputs);
  if (!first || !second) throw new Error('no requests');
  Object.assign(first, { method: 'GET', target: `@${new URL(other.url).host}/` });
  Object.assign(second, { api: 'control', target: '/_sandbox/clock/../reset' });
  fs.writeFileSync(path.join(cwd, 'bug.repro.gz'), writeRepro(repro));
  const { url, requests } = await server((_request, response) => response.end('{}'));
  expect((await run(url)).stderr).toContain('Plan: send 0 of 1');
  expect(requests.filter((each) => !each.includes('repro/inventory'))).toEqual([]);
  expect(other.requests).toEqual([]);
});

test('--state continues after the last response; another file or URL, and what is no state, exit 2', async () => {
  const { run, cwd, at } = await recorded(async (at) => {
    const sold = await seededListing(1);
    const { quote_id } = await quoteFor(at, sold.domain);
    await requestOrder(at, orderBody(sold, { quote_id }));
    await quoteFor(at, (await seededListing(2)).domain);
  });
  let isDown = true;
  const { url, requests } = await proxy(await target(), /orders/, (_body, response) => {
    if (isDown) response.destroy();
  });
  const state = path.join(cwd, 's.jsonl');
  // The first order gets no response, so it is not measured.
  const first = await run(`${url} --allow-writes --state s.jsonl`);
  expect(operationIn(first.result(), 'POST /orders')).toMatchObject({ not_measured: 1 });
  const lines = fs.readFileSync(state, 'utf8').split('\n');
  expect(lines.join()).not.toContain(at.credential.secret);
  // Killed while it wrote the third line.
  fs.writeFileSync(state, `${lines.slice(0, 2).join('\n')}\n${lines[2]?.slice(0, 20)}`);
  isDown = false;
  const before = requests.length;
  const second = await run(`${url} --allow-writes --state s.jsonl`);
  expect({ code: second.code, differences: second.result().differences }).toEqual({
    ...{ code: 0, differences: [] },
  });
  expect(requests.slice(before)).toEqual([`POST ${V1}/orders`, `POST ${V1}/quotes`]);
  const third = await run(`${url} --allow-writes --state s.jsonl`);
  expect(third.result()).toEqual(second.result());
  expect(requests).toHaveLength(before + 2);
  const other = await server((_request, response) => response.end('{}'));
  for (const [options, message] of [
    [`${other.url} --state s.jsonl`, 's.jsonl is of another URL; pass another name'],
    [`${other.url} --state bug.repro.gz`, 'is not a state of this command'],
    [`${other.url} --state none/s.jsonl`, '--state: cannot write none/s.jsonl: folder not found'],
    [`${other.url} --state .`, '--state: cannot write .: '],
  ] as const) {
    expect(await run(options)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  }
  const elsewhere = await recorded(quotes);
  fs.copyFileSync(state, path.join(elsewhere.cwd, 's.jsonl'));
  expect(await elsewhere.run(`${url} --state s.jsonl`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('s.jsonl is of another file; pass another name'),
  });
  expect(other.requests).toEqual([]);
});
