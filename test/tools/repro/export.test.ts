import { describe, expect, onTestFinished, test } from 'vitest';
import { ControlClient } from '../../../src/client/control-client.ts';
import type { Fetch } from '../../../src/client/fetch.ts';
import {
  type PartnerRequest,
  sendSigned,
  signPartnerRequest,
} from '../../../src/client/partner-client.ts';
import { type InProcessSandbox, replayRepro } from '../../../src/index.ts';
import type { Repro } from '../../../src/tools/repro/format.ts';
import { openRepro } from '../../../src/tools/repro/open-file.ts';
import { findInput, listedInputs } from '../../../src/tools/repro/places.ts';
import { linesOfRepro, readRepro, writeRepro } from '../../../src/tools/repro/read-repro.ts';
import { requestsOf } from '../../../src/tools/repro/select.ts';
import { checkoutFor, PAYING, submit } from '../../support/checkout.ts';
import { mint, orderBody, orderFor, quoteFor, requestOrder } from '../../support/orders.ts';
import { receiver, register } from '../../support/receiver.ts';
import { loggedIds } from '../../support/request-log.ts';
import { sandbox } from '../../support/sandbox.ts';
import { seededListing } from '../../support/seeded-listings.ts';

const P = '/api/partner/v1';
const BUYER = { email: 'jane.doe@company.com', name: 'Jane Doe', country: 'DE' };

/** The ID of the newest request of a path. */
async function newest(at: InProcessSandbox, path: string): Promise<string> {
  const [id = ''] = await loggedIds(at, { path, api: 'all', limit: 1 });
  return id;
}

/** A quote expires, and the order gets 422. */
async function expiredQuote(at: InProcessSandbox): Promise<string> {
  const quote = await quoteFor(at, (await seededListing(1)).domain);
  await at.control.post('/clock/advance', { by: '11m' });
  const order = { quote_id: quote.quote_id, external_payment_ref: 'pi_1', buyer: BUYER };
  expect((await requestOrder(at, order)).status).toBe(422);
  return newest(at, '/orders');
}

/** Calls an app without a port. */
function fetchOf(app: { fetch(request: Request): Response | Promise<Response> }): Fetch {
  return async (url, init) => app.fetch(new Request(url, init as RequestInit));
}

const textOf = (repro: Repro) => linesOfRepro(repro).join('\n');

test('an order whose quote expired is exported by its request, and replays to the same 422', async () => {
  const at = await sandbox();
  const request = await expiredQuote(at);
  const { bytes, summary } = await at.exportRepro({ request });
  expect(summary).toMatchObject({
    verified: true,
    problem: null,
    file: `sandlot-default-${request}.repro.gz`,
    contains: '2 partner API requests, 1 control API request',
    replaced: '1 email address, 1 buyer name',
    secrets: 'none',
  });
  const repro = await readRepro(bytes);
  expect(repro.head.base.type).toBe('seed');
  expect(textOf(repro)).toContain('quote_expired');
  expect(await replayRepro(bytes)).toEqual({
    result: 'reproduced',
    inputs: listedInputs(repro.inputs).length,
    divergence: [],
  });
});

test('a changed response is reported with its input, its path and both texts', async () => {
  const at = await sandbox();
  const { bytes } = await at.exportRepro({ request: await expiredQuote(at) });
  const repro = await readRepro(bytes);
  const target = findInput(repro.inputs, repro.head.target);
  if (target?.kind !== 'request' || !target.response || !('status' in target.response))
    throw target;
  target.response.body = { text: '{"error":{"code":"quote_expired","message":"another"}}' };
  const { divergence, result } = await replayRepro(writeRepro(repro));
  expect(result).toBe('diverged');
  expect(divergence).toMatchObject([
    {
      input: repro.head.target,
      path: 'error.message',
      recorded: 'another',
      replayed: expect.stringContaining('expired'),
    },
  ]);
});

test('secrets and personal data are not in the file, whose replays send no webhook', async () => {
  const hook = await receiver();
  const at = await sandbox();
  await register(at, `${hook.url}?token=T0ken`);
  const minted = await mint(at, { partner: 'other' });
  const order = orderBody(await seededListing(1), { buyer: BUYER });
  await requestOrder(at, order);
  await submit(at, (await checkoutFor(at)).checkout_url, {
    ...PAYING,
    email: 'ann@buyers.org',
    name: 'Ann Lee',
  });
  await at.idle();
  const received = hook.received.length;
  const { bytes, summary } = await at.exportRepro();
  expect(summary).toMatchObject({
    verified: true,
    replaced: '2 email addresses, 2 buyer names, 1 webhook URL',
  });
  const text = textOf(await readRepro(bytes));
  for (const each of [
    'company.com',
    'Jane',
    'buyers.org',
    'Lee',
    'T0ken',
    '127.0.0.1:',
    minted.secret,
    at.credential.secret,
  ]) {
    expect(text).not.toContain(each);
  }
  expect(await replayRepro(bytes)).toMatchObject({ result: 'reproduced' });
  expect(hook.received).toHaveLength(received);
});

test('personal data can be kept, but secrets cannot', async () => {
  const at = await sandbox();
  await requestOrder(at, orderBody(await seededListing(1), { buyer: BUYER }));
  const { bytes, summary } = await at.exportRepro({ keepPersonalData: true });
  expect(summary.replaced).toBe('secrets only; personal data is in the file');
  const text = textOf(await readRepro(bytes));
  expect(text).toContain('jane.doe@company.com');
  expect(text).not.toContain(at.credential.secret);
});

test('the address with which the control API pays stays, also where a partner sends it', async () => {
  const at = await sandbox();
  const buyer = { email: 'buyer@example.com', country: 'DE' };
  await requestOrder(at, orderBody(await seededListing(1), { buyer }));
  const { session_id } = await checkoutFor(at);
  await at.control.post(`/checkout-sessions/${session_id}/pay`);
  const { bytes, summary } = await at.exportRepro();
  expect(summary).toMatchObject({ verified: true, problem: null });
  expect(textOf(await readRepro(bytes))).toContain(buyer.email);
});

describe('a selection', () => {
  test('by order ends with the last request that names it', async () => {
    const at = await sandbox();
    const order = await orderFor(at);
    await at.control.post(`/orders/${order.public_id}/advance`, { action: 'hold' });
    await quoteFor(at, (await seededListing(2)).domain);
    const { summary } = await at.exportRepro({ order: order.public_id });
    expect(summary.target).toContain(`/orders/${order.public_id}/advance`);
  });

  test('by number keeps what came before, and marks what was selected', async () => {
    const at = await sandbox();
    for (let n = 0; n < 5; n += 1) await quoteFor(at, (await seededListing(1)).domain);
    const { head, inputs } = await readRepro((await at.exportRepro({ last: 2 })).bytes);
    expect(requestsOf(inputs)).toHaveLength(5);
    expect(head.focus).toEqual(['4', '5']);
  });

  test('by domain ends with the last request that names it', async () => {
    const at = await sandbox();
    const [first, second] = [await seededListing(1), await seededListing(2)];
    await quoteFor(at, first.domain);
    await requestOrder(at, orderBody(first));
    await quoteFor(at, second.domain);
    const { summary } = await at.exportRepro({ domain: first.domain });
    expect(summary).toMatchObject({
      file: `sandlot-default-${first.domain}.repro.gz`,
      target: expect.stringMatching(/^#2 POST \/api\/partner\/v1\/orders 201$/),
    });
  });

  test('by domain finds a rejected order, which names only its quote', async () => {
    const at = await sandbox();
    await expiredQuote(at);
    await quoteFor(at, (await seededListing(2)).domain);
    const { summary } = await at.exportRepro({ domain: (await seededListing(1)).domain });
    expect(summary.target).toMatch(/^#\d+ POST \/api\/partner\/v1\/orders 422 quote_expired$/);
  });

  test('by number is about the newest request that was rejected, if one was', async () => {
    const at = await sandbox();
    await quoteFor(at, (await seededListing(1)).domain);
    for (let n = 0; n < 2; n += 1) await at.call({ method: 'GET', target: `${P}/orders/none` });
    await quoteFor(at, (await seededListing(2)).domain);
    await at.control.post('/orders/none/advance', { action: 'hold' }).catch(() => {});
    const { summary, bytes } = await at.exportRepro({ last: 4 });
    expect(summary.target).toBe(`#3 GET ${P}/orders/none 404 not_found`);
    expect((await readRepro(bytes)).head.focus).toEqual(['2', '3']);
    const accepted = await at.exportRepro({ last: 2 });
    expect(accepted.summary.target).toContain('/advance');
  });

  test.each([
    [{ request: 'req_none' }, /request req_none not found/],
    [
      { order: 'ord_none' },
      /^order: no recorded request names ord_none; the newest recording begins at/,
    ],
    [
      { domain: 'none.example' },
      /^domain: no recorded request names none.example; the newest recording begins at/,
    ],
    [{ since: '2100-01-01' }, /^since: no request is recorded since 2100/],
  ])('of what is not recorded is rejected: %j', async (selection, message) => {
    const at = await sandbox();
    await quoteFor(at, (await seededListing(1)).domain);
    await expect(at.exportRepro(selection)).rejects.toThrow(message);
  });

  test('in a sandbox that records nothing says why', async () => {
    const at = await sandbox({ requestLog: 0 });
    await expect(at.exportRepro()).rejects.toThrow('nothing is recorded: the request log is off');
  });
});

test('a request that is still in flight at the target changes nothing before it, and has no response', async () => {
  const at = await sandbox();
  const listing = await seededListing(1);
  await at.control.post('/faults', { effect: { delay_ms: 40 }, match: { method: 'POST' } });
  const ordered = requestOrder(at, orderBody(listing));
  for (let n = 0; n < 2; n += 1) await at.call({ method: 'GET', target: '/api/partner/v1/orders' });
  const request = await newest(at, '/orders');
  expect((await ordered).status).toBe(201);
  const { bytes, summary } = await at.exportRepro({ request });
  expect(summary).toMatchObject({ problem: null, target: expect.stringContaining('GET') });
  const { inputs } = await readRepro(bytes);
  const order = inputs.find(
    (input) => input.kind === 'request' && input.method === 'POST' && input.api === 'partner',
  );
  expect(order).toBeDefined();
  expect(order).not.toHaveProperty('response');
  expect(await replayRepro(bytes)).toMatchObject({ result: 'reproduced' });
});

test('an export waits for an earlier request that is in flight', async () => {
  const at = await sandbox();
  await at.control.post('/faults', { effect: { delay_ms: 40 }, match: { method: 'POST' } });
  const ordered = requestOrder(at, orderBody(await seededListing(1)));
  for (let n = 0; n < 2; n += 1) await at.call({ method: 'GET', target: '/api/partner/v1/orders' });
  const { bytes, summary } = await at.exportRepro();
  expect((await ordered).status).toBe(201);
  expect(summary).toMatchObject({ verified: true, problem: null });
  const requests = requestsOf((await readRepro(bytes)).inputs);
  expect(requests.map(({ method }) => method).sort()).toEqual(['GET', 'GET', 'POST', 'POST']);
  expect(requests.at(-1)).toMatchObject({ method: 'GET', response: { status: 200 } });
});

test('a fork starts with the rows of its source', async () => {
  const at = await sandbox();
  await requestOrder(at, orderBody(await seededListing(1), { buyer: BUYER }));
  await at.control.post('/worlds', { name: 'w2', fork: 'default' });
  const key = await mint(at, { world: 'w2' });
  await at.call({ method: 'GET', target: '/api/partner/v1/domains/search?q=a' }, key);
  const { bytes, summary } = await at.exportRepro({ world: 'w2' });
  expect(summary).toMatchObject({ verified: true, base: expect.stringContaining('rows with') });
  const repro = await readRepro(bytes);
  expect(textOf(repro)).not.toContain('company.com');
  expect(await replayRepro(bytes)).toMatchObject({ result: 'reproduced' });
});

test('the sandbox just before the target gives the same response to the same order', async () => {
  const at = await sandbox();
  const hook = await receiver();
  await register(at, hook.url);
  const quote = await quoteFor(at, (await seededListing(1)).domain);
  await at.control.post('/clock/advance', { by: '11m' });
  await requestOrder(at, { quote_id: quote.quote_id, external_payment_ref: 'pi_1' });
  const repro = await readRepro(
    (await at.exportRepro({ request: await newest(at, '/orders') })).bytes,
  );
  const { sandbox: opened, credentials } = await openRepro(repro, Number(repro.head.target) - 1);
  onTestFinished(() => opened.close());
  const app = await opened.app();
  const fetch = fetchOf(app);
  const [key] = credentials;
  if (!key) throw new Error('no credential');
  const send = async (body: object) => {
    const request: PartnerRequest = { method: 'POST', target: '/api/partner/v1/orders', body };
    request.headers = { 'Idempotency-Key': JSON.stringify(body).length.toString() };
    return sendSigned(fetch, signPartnerRequest('http://localhost', key, request, Date.now()));
  };
  const again = await send({ quote_id: quote.quote_id, external_payment_ref: 'pi_1' });
  expect(await again.json()).toMatchObject({ error: { code: 'quote_expired' } });
  expect((await send(orderBody(await seededListing(2)))).status).toBe(201);
  await opened.schedulers.of(opened.worlds.require('default')).idle();
  const control = new ControlClient({ baseUrl: 'http://localhost', fetch });
  const { deliveries } = await control.get<{ deliveries: { delivery_id: string }[] }>(
    '/deliveries',
  );
  const delivery = await control.get(`/deliveries/${deliveries[0]?.delivery_id}`);
  expect(delivery).toMatchObject({ attempts: [{ outcome: 'blocked' }] });
  expect(hook.received).toEqual([]);
});

test('a signed call of the control API replays', async () => {
  const at = await sandbox();
  await at.call({ method: 'POST', target: '/_sandbox/clock/freeze', body: {} });
  const { bytes, summary } = await at.exportRepro();
  expect(summary).toMatchObject({ verified: true, problem: null });
  expect(await replayRepro(bytes)).toMatchObject({ result: 'reproduced' });
});

test.each([
  'q=%zz',
  '%',
  '%4',
  'q=a%e2%82',
  'q=%ff',
  'q=%c0%af',
  'q=%ed%a0%80',
  '%zz=1&q=a',
  'q=a&x=%zz',
  'q=a&limit=%2',
  'q=a&cursor=%',
])('requests with the query %s are exported, and replay', async (query) => {
  const at = await sandbox();
  const [path, target] = [`${P}/domains/search`, `${P}/domains/search?${query}`];
  const { headers } = signPartnerRequest(
    '',
    at.credential,
    { method: 'GET', target: path },
    Date.now(),
  );
  for (const sent of [headers, {}]) await at.fetch(target, { headers: sent });
  await at.fetch(`/checkout?pt=${query}`);
  await at.fetch(`/_sandbox/clock/freeze?${query}`, { method: 'POST' });
  const { bytes, summary } = await at.exportRepro();
  expect(summary).toMatchObject({ verified: true, problem: null });
  expect(requestsOf((await readRepro(bytes)).inputs)[0]).toMatchObject({ target });
  expect(await replayRepro(bytes)).toMatchObject({ result: 'reproduced' });
});
