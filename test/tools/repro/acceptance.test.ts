import net from 'node:net';
import { expect, test, vi } from 'vitest';
import type { Fetch } from '../../../src/client/fetch.ts';
import { sendSigned, signPartnerRequest } from '../../../src/client/partner-client.ts';
import { NO_RATE_LIMITS } from '../../../src/http/rate-limits.ts';
import { urlOf } from '../../../src/kernel/addresses.ts';
import { systemRuntime } from '../../../src/kernel/runtime.ts';
import type { Repro } from '../../../src/tools/repro/format.ts';
import { openRepro } from '../../../src/tools/repro/open-file.ts';
import { readRepro } from '../../../src/tools/repro/repro-lines.ts';
import type { Caller } from '../../support/calls.ts';
import {
  magic,
  orderBody,
  orderFor,
  quoteFor,
  requestOrder,
  requestQuote,
} from '../../support/orders.ts';
import { receiver } from '../../support/receiver.ts';
import { testRuntime } from '../../support/runtime.ts';
import type { SeededListing } from '../../support/seeded-listings.ts';
import { KEY, type RecordedSandbox, recordedSandbox, replayedFile } from './recorded-sandbox.ts';

const P = '/api/partner/v1';

const callerOf = (fetch: Fetch, url: string): Caller => ({
  call: (request) => sendSigned(fetch, signPartnerRequest(url, KEY, request, Date.now())),
});

async function expectReplays(at: RecordedSandbox): Promise<Repro> {
  await at.sandbox.schedulers.of(at.world).idle();
  return replayedFile(at);
}

/** The specification asks for 20. */
const RACES = Number(process.env.SANDLOT_TEST_RACES ?? 6);

test(`32 connections that order one domain replay with the same winner, in ${RACES} of ${RACES} runs`, async () => {
  for (let run = 0; run < RACES; run += 1) {
    const at = await recordedSandbox({ rateLimits: NO_RATE_LIMITS });
    const url = urlOf(await at.sandbox.listen('127.0.0.1', 0));
    type Listings = { listings: (SeededListing & { tld: string })[] };
    const { listings } = await at.control.get<Listings>('/inventory', { limit: 100 });
    const body = orderBody(listings.find(({ tld }) => tld !== 'test') as SeededListing);
    const responses = await Promise.all(
      Array.from({ length: 32 }, () => requestOrder(callerOf(fetch, url), body)),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    await expectReplays(at);
    await at.close();
  }
});

test('a receiver that responds 503, 503, hangs and responds 200 is not needed to replay its deliveries', async () => {
  let giveUp = () => {};
  const hook = await receiver((response, n) => {
    if (n <= 2) response.writeHead(503).end('busy');
    else if (n === 3) giveUp();
    else response.writeHead(200).end('thanks');
  });
  const at = await recordedSandbox({
    runtime: {
      ...systemRuntime,
      after: (ms, task) => {
        // The time that a receiver has.
        if (ms === 5_000) giveUp = task;
        return systemRuntime.after(ms, task);
      },
    },
  });
  await at.control.put('/webhooks', { url: hook.url, secret: 'whsec_of_the_receiver' });
  await orderFor(at, magic('held-order', 250_000));
  for (const by of ['5s', '30s']) await at.control.post('/clock/advance', { by });
  await at.control.post('/clock/next');
  const query = 'SELECT outcome FROM delivery_attempts ORDER BY id';
  const attempts = at.world.store.client.prepare(query).pluck().all();
  expect(attempts).toEqual(['status 503', 'status 503', 'timeout', 'ok']);
  const connect = vi.spyOn(net.Socket.prototype, 'connect').mockImplementation(() => {
    throw new Error('a replay opened a socket');
  });
  try {
    for (const isRegistered of [true, false]) {
      if (!isRegistered) await at.control.delete('/webhooks?partner=local');
      const repro = await expectReplays(at);
      const sent = repro.state.filter(({ table }) => table === 'delivery_attempts');
      expect(sent.map(({ values }) => values.outcome)).toEqual(attempts);
      const { sandbox } = await openRepro(repro, repro.head.target);
      const { client } = sandbox.worlds.require('default').store;
      expect(client.prepare(query).pluck().all()).toEqual(attempts);
      await sandbox.close();
    }
  } finally {
    connect.mockRestore();
  }
});

test('an import of a long file replays with the requests that come while it is read', async () => {
  const at = await recordedSandbox();
  const rows = Array.from({ length: 1_200 }, (_, n) => `zebra${n}.com,1000`);
  const body = `domain,price_cents\n${rows.join('\n')}\n`;
  const search = () => at.call({ method: 'GET', target: '/api/partner/v1/domains/search?q=zebra' });
  const imported = at.fetch('/_sandbox/inventory/import?format=csv', { method: 'POST', body });
  await Promise.all([imported, search(), search(), search()]);
  await search();
  expect((await expectReplays(at)).requests).toHaveLength(5);
});

test('another request is answered while a long log is exported', async () => {
  const at = await recordedSandbox({ rateLimits: NO_RATE_LIMITS });
  const url = urlOf(await at.sandbox.listen('127.0.0.1', 0));
  const target = `${P}/domains/search?q=zebra`;
  for (let n = 0; n < 400; n += 1) await at.call({ method: 'GET', target });
  const ended: string[] = [];
  await Promise.all([
    at.exportRepro().then(() => ended.push('export')),
    fetch(`${url}/_sandbox/status`).then(() => ended.push('status')),
  ]);
  expect(ended).toEqual(['status', 'export']);
});

test('a reset while a file is exported leaves a file with the state before it', async () => {
  const at = await recordedSandbox({ rateLimits: NO_RATE_LIMITS });
  await requestQuote(at, 'held-order.test');
  for (let n = 0; n < 300; n += 1) await at.call({ method: 'GET', target: `${P}/orders` });
  await at.control.post('/clock/advance', { by: '2h' });
  const exporting = at.exportRepro();
  await at.control.post('/reset');
  const { bytes, summary } = await exporting;
  const { sandbox } = await openRepro(readRepro(bytes));
  const { clock, store } = sandbox.worlds.require('default');
  const domains = store.client.prepare('SELECT domain FROM quotes').pluck().all();
  expect(domains).toEqual(['held-order.test']);
  expect(clock.now()).toBeGreaterThan(at.now() + 3_600_000);
  expect(() => sandbox.worlds.create('w2')).toThrow('cannot have another world');
  await sandbox.close();
  // The reset hides requests that were not read yet.
  const incomplete = 'the request log lacks requests since the world began, dropped or in progress';
  expect([null, incomplete]).toContain(summary.problem);
});

test('a GET in an injected delay replays after what ran meanwhile, such as the end of its credential', async () => {
  const at = await recordedSandbox();
  const effect = { delay_ms: 1_000 };
  await at.call({ method: 'GET', target: `${P}/orders/none` });
  await at.control.post('/faults', { match: { method: 'GET' }, effect, times: 2 });
  const key = await at.control.post<typeof KEY>('/credentials', { partner: 'Shop' });
  const list = at.call({ method: 'GET', target: `${P}/orders` });
  const rejected = at.call({ method: 'GET', target: `${P}/orders` }, key);
  await at.control.delete(`/credentials/${key.key_id}`);
  const { quote_id } = await quoteFor(at, 'auto-complete.test');
  await requestOrder(at, { quote_id, external_payment_ref: 'r' });
  // The rejected request is the target, then the order.
  expect((await at.exportRepro()).summary.problem).toBeNull();
  expect((await at.exportRepro({ last: 1 })).summary.problem).toContain('in progress');
  expect(await (await list).json()).toMatchObject({ orders: [{ domain: 'auto-complete.test' }] });
  expect((await rejected).status).toBe(500);
  const repro = await expectReplays(at);
  const delayed = repro.requests.find(({ runs }) => runs.length > 1);
  const opened = await openRepro(repro, delayed?.n);
  expect(opened.diverged).toBeNull();
  await opened.sandbox.close();
  // The quote, before the order and the end of the delays.
  const quote = repro.requests.find(({ target }) => target.endsWith('/quotes'));
  const { sandbox } = await openRepro(repro, quote?.n);
  const world = sandbox.worlds.require('default');
  expect(sandbox.requests.list(world, { limit: -1 })).toHaveLength((quote?.n ?? 0) - 2);
  expect(world.clock.now()).toBe(repro.requests[quote?.n ?? 0]?.runs[0]?.now);
  expect(world.store.client.prepare('SELECT count(*) FROM orders').pluck().get()).toBe(0);
  await sandbox.close();
});

test('a call that another container made with the control token replays', async () => {
  const controlToken = 'a token of sixteen';
  const at = await recordedSandbox({ controlToken });
  const Origin = 'http://sandlot:4010';
  const headers = { Host: 'sandlot:4010', Origin, Authorization: `Bearer ${controlToken}` };
  const call = { method: 'POST', headers, body: '{"partner":"Shop"}' };
  const { status } = await at.fetch(`${Origin}/_sandbox/credentials`, call);
  expect(status).toBe(201);
  expect(await expectReplays(at)).toMatchObject({ requests: [{ status: 201 }] });
});

test('a file opened at a rejected request, or before the first, has its time, and issues other ids', async () => {
  const runtime = testRuntime();
  const begin = runtime.time + 3_600_000;
  const at = await recordedSandbox({ runtime });
  await at.control.post('/snapshots', { name: 's' });
  await at.control.post('/snapshots/s/restore');
  for (const path of ['/nowhere', '/snapshots/none/restore', '/nowhere']) {
    runtime.time += 3_600_000;
    await at.fetch(`/_sandbox${path}`, { method: 'POST' });
    const repro = await expectReplays(at);
    for (const [n, time] of Object.entries({ 0: begin, [repro.head.target]: runtime.time })) {
      const { sandbox } = await openRepro(repro, Number(n));
      const world = sandbox.worlds.require('default');
      expect(world.clock.now()).toBe(time);
      await sandbox.app.request('/_sandbox/nowhere', { method: 'POST' });
      const ids = sandbox.requests.list(world, { limit: -1 }).map(({ requestId }) => requestId);
      expect(new Set(ids).size).toBe(ids.length);
      await sandbox.close();
    }
  }
});

test('deliveries that take time while a call advances the clock make no later move early', async () => {
  const runtime = testRuntime();
  const send = async () => {
    runtime.time += 600;
    return { outcome: 'ok', httpStatus: 200, durationMs: 600, response: null };
  };
  const at = await recordedSandbox({ runtime, sender: { send, close: () => {} } });
  await orderFor(at, magic('auto-complete', 199_900));
  await at.control.put('/webhooks', { url: 'http://127.0.0.1:9/', secret: 'whsec_local' });
  // Half a second before the second move. The first one is delivered on the way.
  await at.control.post('/clock/advance', { by: '1500ms' });
  await at.control.post('/clock/until', { event: 'order.recorded' });
  await at.call({ method: 'GET', target: `${P}/orders` });
  await expectReplays(at);
});

test('timestamps that were rejected at arrival replay, however long each request took', async () => {
  let time = 1_767_225_600_000;
  const at = await recordedSandbox({ runtime: { ...systemRuntime, now: () => (time += 400) } });
  const request = signPartnerRequest('', KEY, { method: 'GET', target: `${P}/orders` }, 1_000);
  for (const _ of [1, 2, 3, 4]) await sendSigned(at.fetch, request);
  await expectReplays(at);
});

test('an order by a quote that has expired is rejected by hand in the file opened before it', async () => {
  const runtime = testRuntime();
  const at = await recordedSandbox({ runtime });
  const { quote_id } = await quoteFor(at, 'held-order.test');
  const order = { quote_id, external_payment_ref: 'r' };
  runtime.time += 660_000;
  expect((await requestOrder(at, order)).status).toBe(422);
  const { sandbox } = await openRepro(await expectReplays(at), 1);
  const request: Fetch = async (url, init) => sandbox.app.request(url, init as RequestInit);
  const byHand = await requestOrder(callerOf(request, 'http://localhost'), order);
  expect(await byHand.json()).toMatchObject({ error: { code: 'quote_expired' } });
  await sandbox.close();
});
