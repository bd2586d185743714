import { describe, expect, test } from 'vitest';
import { readServerEvents } from '../../src/cli/commands/requests/follow-log.ts';
import { ControlClient } from '../../src/client/control-client.ts';
import { signPartnerRequest } from '../../src/client/partner-client.ts';
import type { InProcessSandbox } from '../../src/index.ts';
import type { LoggedRequest } from '../../src/requests/logged-request.ts';
import { sha256Hex } from '../../src/signing/signature.ts';
import { checkoutFor, PAYING } from '../support/checkout.ts';
import { magic, orderBody, orderFor, quoteFor, requestOrder } from '../support/orders.ts';
import { withReceiver } from '../support/receiver.ts';
import { newestLogged } from '../support/request-log.ts';
import { sandbox, sandboxOnDisk } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';

const PRICING = '/api/partner/v1/pricing?domain=held-order.test';
const QUOTES = '/api/partner/v1/quotes';

function listed(
  at: InProcessSandbox,
  query: Record<string, string | number> = {},
  control = at.control,
) {
  return control.get<{ requests: LoggedRequest[]; next_cursor: string | null }>('/requests', query);
}

const get = (at: InProcessSandbox, target: string) => at.call({ method: 'GET', target });
const quote = (at: InProcessSandbox, body: object, key = at.credential) =>
  at.call({ method: 'POST', target: QUOTES, body }, key);

describe('the log', () => {
  test('lists requests newest first, with what became of them', async () => {
    const at = await sandbox();
    await get(at, PRICING);
    await get(at, '/api/partner/v1/pricing?domain=nobody-lists-this.com');
    const { requests } = await listed(at);
    expect(requests).toMatchObject([
      { method: 'GET', status: 404, code: 'not_found', api: 'partner' },
      { method: 'GET', target: PRICING, status: 200, code: null, key_id: at.credential.key_id },
    ]);
    expect(requests[0]?.message).toContain('nobody-lists-this.com');
  });

  test('takes the wildcards of SQL, quotes and backslashes in a filter for plain text', async () => {
    const at = await sandbox();
    await get(at, PRICING);
    for (const query of [{ where: 'path:%' }, { text: '_eld-order' }]) {
      expect((await listed(at, query)).requests, JSON.stringify(query)).toEqual([]);
    }
    expect((await listed(at, { text: 'HELD-order' })).requests).toHaveLength(1);
    await at.call({ method: 'GET', target: PRICING, headers: { 'X-Note': 'a "b" \\c' } });
    expect((await listed(at, { text: 'a "b" \\c' })).requests).toHaveLength(1);
  });

  test('keeps nothing if it is turned off', async () => {
    const at = await sandbox({ requestLog: 0 });
    await get(at, PRICING);
    expect((await listed(at)).requests).toEqual([]);
  });

  test('is there after a restart, and goes on counting', async () => {
    const { dataDir, at: before } = await sandboxOnDisk();
    await get(before, PRICING);
    const [first] = (await listed(before)).requests;
    await before.close();
    const after = await sandbox({ dataDir });
    await get(after, PRICING);
    const { requests } = await listed(after);
    expect(requests).toHaveLength(2);
    expect(requests[1]).toEqual(first);
    expect(requests[0]?.request_id).not.toBe(first?.request_id);
  });

  test('is emptied by a reset, kept by a restored snapshot, and not in a fork', async () => {
    const at = await sandbox();
    await get(at, PRICING);
    await at.control.post('/snapshots', { name: 's' });
    await get(at, PRICING);
    await at.control.post('/snapshots/s/restore');
    expect((await listed(at, { api: 'partner' })).requests).toHaveLength(2);
    await at.control.post('/worlds', { name: 'w', fork: 'default' });
    expect((await listed(at, {}, at.control.in('w'))).requests).toEqual([]);
    await at.reset();
    // The reset is the first call of what follows it.
    expect((await listed(at, { api: 'all' })).requests).toMatchObject([
      { target: '/_sandbox/reset' },
    ]);
  });

  test('names the domain and the order of a request, of its quote or of its response, and the fault that acted', async () => {
    const at = await sandbox();
    const { public_id } = await orderFor(at, 0);
    const { domain } = await seededListing(0);
    await get(at, `/api/partner/v1/orders/${public_id}`);
    const refund = { target: '/api/partner/v1/refunds', body: { public_id: 'ord_unknown' } };
    await at.call({ method: 'POST', ...refund });
    const { quote_id } = await quoteFor(at, 'held-order.test');
    await requestOrder(at, { quote_id, buyer: 1 });
    const fault = await at.control.post<{ fault_id: string }>('/faults', {
      match: { path: '/pricing' },
      effect: { code: 'internal_error' },
    });
    await get(at, PRICING);
    await at.control.delete('/faults');
    await get(at, '/api/partner/v1/pricing?a=?&domain=server-error.test');
    const { requests } = await listed(at);
    expect(
      requests.map(({ target, domain, order, fault }) => [
        target.replace('/api/partner/v1', ''),
        domain,
        order,
        fault,
      ]),
    ).toEqual([
      ['/pricing?a=?&domain=server-error.test', 'server-error.test', null, 'server_error'],
      ['/pricing?domain=held-order.test', 'held-order.test', null, fault.fault_id],
      ['/orders', 'held-order.test', null, null],
      ['/quotes', 'held-order.test', null, null],
      ['/refunds', null, 'ord_unknown', null],
      [`/orders/${public_id}`, domain, public_id, null],
      ['/orders', domain, public_id, null],
    ]);
  });

  test('is emptied on demand', async () => {
    const at = await sandbox();
    await get(at, PRICING);
    await at.control.delete('/requests');
    expect((await listed(at)).requests).toEqual([]);
  });
});

describe('a decision trace', () => {
  test('names every check of a sale, what moved and what was recorded', async () => {
    const { at } = await withReceiver(200, { rateLimits: true });
    const order = await orderFor(at);
    const { trace } = await newestLogged(at);
    expect(trace.map(({ check, result }) => `${check} ${result}`)).toEqual([
      'body passed',
      'headers passed',
      'timestamp passed',
      'key passed',
      'signature passed',
      'nonce passed',
      'route passed',
      'scope passed',
      'rate_limit passed',
      'idempotency passed',
      'validation passed',
      'rules passed',
      'transition done',
      'event done',
    ]);
    expect(trace.find(({ check }) => check === 'rate_limit')?.detail).toMatchObject({
      class: 'write',
      limit: 20,
      before: 0,
      after: 1,
    });
    expect(trace.at(-2)?.detail).toMatchObject({
      order_id: order.public_id,
      to: 'EXTERNALLY_PAID',
    });
    expect(trace.at(-1)?.detail).toMatchObject({
      type: 'order.recorded',
      delivery_id: expect.stringMatching(/^dlv_/),
    });
  });

  test('shows a replay, and an idempotency key that is used with another body', async () => {
    const at = await sandbox();
    const sale = orderBody(await seededListing(1));
    const send = (body: object) => requestOrder(at, body, { idempotencyKey: 'k' });
    await send(sale);
    await send(sale);
    const replay = await newestLogged(at);
    expect(replay.trace.at(-1)).toMatchObject({
      check: 'idempotency',
      result: 'passed',
      detail: { outcome: 'replayed' },
    });
    await send({ ...sale, return_url: 'https://shop.example/' });
    const other = await newestLogged(at);
    expect(other).toMatchObject({ status: 409, code: 'conflict' });
    expect(other.trace.at(-1)).toMatchObject({
      check: 'idempotency',
      result: 'failed',
      detail: { outcome: 'other_body', code: 'conflict' },
    });
  });

  test('does not show what was rolled back', async () => {
    const at = await sandbox();
    await requestOrder(at, { ...orderBody(await seededListing(1)), expected_price: 1 });
    const { trace, code } = await newestLogged(at);
    expect(code).toBe('price_mismatch');
    expect(trace.at(-1)).toMatchObject({ check: 'rules', result: 'failed' });
  });

  test.each([
    ['headers', { 'X-Service-Nonce': '' }, 'missing_signature_headers'],
    ['timestamp', { 'X-Service-Timestamp': '12' }, 'invalid_timestamp'],
    ['key', { 'X-Service-Key-Id': 'dmk_nobody' }, 'invalid_signature'],
    ['signature', { 'X-Service-Signature': `v1=${'0'.repeat(64)}` }, 'invalid_signature'],
  ])('ends at %s', async (check, headers, code) => {
    const at = await sandbox();
    const request = { method: 'GET', target: PRICING };
    const signed = signPartnerRequest(at.url, at.credential, request, Date.now());
    await at.fetch(signed.url, { method: 'GET', headers: { ...signed.headers, ...headers } });
    const shown = await newestLogged(at);
    expect(shown.trace.at(-1)).toMatchObject({ check, result: 'failed', detail: { code } });
    expect(shown.code).toBe(code);
  });

  test('names the mistake in a signature, with what was signed beside what should have been', async () => {
    const at = await sandbox();
    const target = '/api/partner/v1/pricing?domain=held-order.test&a=1';
    const right = signPartnerRequest(at.url, at.credential, { method: 'GET', target }, Date.now());
    const misdirected = { method: 'GET', target: target.replace('/api/partner', '') };
    const { headers } = signPartnerRequest(at.url, at.credential, misdirected, Date.now());
    await at.fetch(right.url, { method: 'GET', headers });
    const shown = await newestLogged(at);
    expect(shown.trace.at(-1)?.detail.mistake).toBe('path_without_prefix');
    expect(shown.canonical_string?.split('\n')[1]).toBe('/api/partner/v1/pricing');
    expect(shown.signed_string?.split('\n')[1]).toBe('/v1/pricing');
  });

  test('shows the magic that was met', async () => {
    const at = await sandbox();
    await get(at, '/api/partner/v1/pricing?domain=server-error.test');
    expect((await newestLogged(at)).trace.at(-1)).toMatchObject({
      check: 'magic_domain',
      result: 'failed',
      detail: { behaviors: ['server_error'], code: 'internal_error' },
    });
  });

  test('shows a response that was not sent', async () => {
    const at = await sandbox();
    await expect(orderFor(at, magic('lost-response', 139_900))).rejects.toThrow('closed');
    expect(await newestLogged(at)).toMatchObject({ status: null, code: null });
    expect((await listed(at, { where: 'status:closed' })).requests).toHaveLength(1);
  });
});

describe('warnings', () => {
  test('name what was ignored, and other names', async () => {
    const at = await sandbox();
    const sale = orderBody(await seededListing(1)) as Record<string, unknown>;
    const { expected_price: sale_price_cents, ...others } = sale;
    const buyer = { email: 'a@b.co', shoe_size: 44 };
    const body = { ...others, sale_price_cents, color: 'red', buyer };
    const headers = { 'Idempotency-Key': 'k' };
    const target = '/api/partner/v1/orders?dry_run=1';
    expect((await at.call({ method: 'POST', target, body, headers })).status).toBe(201);
    expect((await newestLogged(at)).warnings).toEqual([
      'query: "dry_run" is not a parameter of this endpoint and was ignored; it takes none',
      'body: "buyer.shoe_size" is not a field of this endpoint and was ignored; it takes buyer.email, buyer.name, buyer.country',
      'body: "color" is not a field of this endpoint and was ignored; it takes domain, expected_price, sale_price_cents, currency, buyer, return_url, cancel_url, quote_id, external_payment_ref',
    ]);
  });

  test('list twenty of thousands of ignored names', async () => {
    const at = await sandbox();
    const body = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`f${n}`, 1]));
    await quote(at, body);
    const { warnings } = await newestLogged(at);
    expect(warnings).toHaveLength(21);
    expect(warnings.at(-1)).toBe('body: 4980 more fields were ignored');
  });
});

describe('what is kept', () => {
  test('is the beginning of a long body', async () => {
    const at = await sandbox();
    const body = Buffer.from(`{"domain":"held-order.test","note":"${'é'.repeat(100_000)}"}`);
    await quote(at, body);
    const { request, canonical_string } = await newestLogged(at);
    const beginning = body.subarray(0, 64 * 1024).toString();
    expect(request).toMatchObject({ body: beginning, bytes: body.length, altered: 'truncated' });
    expect(canonical_string).toContain(`\n${sha256Hex(body)}`);
  });

  test('is 4 KB of a body without a valid signature, without the beginning of a secret at its end', async () => {
    const at = await sandbox();
    await at.control.post('/credentials', { secret: '+'.repeat(255) });
    const start = '{"note":"'.padEnd(4_096 - '[redacted]'.length, 'x');
    const kept = { altered: 'truncated', body: `${start}[redacted]` };
    for (const spelled of [at.credential.secret, '\\u002b'.repeat(255)]) {
      const body = `${start}${spelled}${'x'.repeat(500_000)}"}`;
      await at.fetch(QUOTES, { method: 'POST', body });
      expect((await newestLogged(at)).request).toMatchObject({ ...kept, bytes: body.length });
      await quote(at, Buffer.from(body), { ...at.credential, secret: 'wrong' });
      expect((await newestLogged(at)).request).toMatchObject({ ...kept, bytes: body.length });
    }
  });

  test('is base64 where it is no text', async () => {
    const at = await sandbox();
    await quote(at, Buffer.from([0xff, 0xfe, 0x00]));
    const { request } = await newestLogged(at);
    expect(request).toMatchObject({ encoding: 'base64', body: '//4A' });
  });

  test.each([
    ['4242 4242 4242 4242', '4242+4242+4242+4242', 303, ''],
    ['5555 5555 5555 4444', '0000+0000+0000+0000', 402, 'Your card was declined'],
    ['5555-5555-5555-4443', '1111-1111-1111-1111', 422, 'This card number is not valid'],
  ])('has views of hosted pages; card %s is kept as %s', async (card, kept, status, says) => {
    const at = await sandbox();
    const { checkout_url: url } = await checkoutFor(at);
    await at.fetch(url);
    const form = new URLSearchParams({ ...PAYING, card_number: card });
    const body = String(form).replace('card_number', 'card%5Fnumber');
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    await at.fetch(url, { method: 'POST', body, headers });
    const { requests } = await listed(at, { api: 'page' });
    expect(requests).toMatchObject([
      { method: 'POST', status },
      { method: 'GET', status: 200 },
    ]);
    const shown = await newestLogged(at);
    expect(shown.request.body).toContain('ada%40example.com');
    expect(shown.response.body ?? '').toContain(says);
    expect(shown.request.body).toContain(`card%5Fnumber=${kept}&expiry=12%2F30&cvc=000`);
  });

  test('shows a page that does not exist with the status that was sent and a failed check', async () => {
    const at = await sandbox({ port: 0 });
    const headers = { 'X-Service-Key-Id': at.credential.key_id };
    const body = await (await fetch(`${at.url}/l/a/%3Cb%3E`, { headers })).text();
    expect((await listed(at)).requests).toHaveLength(1);
    const shown = await newestLogged(at);
    expect(shown).toMatchObject({ target: '/l/a/%3Cb%3E', status: 404, response: { body } });
    expect(shown.trace).toMatchObject([{ check: 'route', result: 'failed' }]);
  });
});

describe('the stream', () => {
  test('streams requests as they come, also right before a reset, and ends with the sandbox', async () => {
    const at = await sandbox({ port: 0 });
    const control = new ControlClient({ baseUrl: at.url, fetch });
    const stream = await control.download('/requests/stream', { where: 'status:404' });
    const events = readServerEvents(stream);
    await get(at, PRICING);
    await get(at, '/api/partner/v1/pricing?domain=nobody-lists-this.com');
    await at.reset();
    const first = await events.next();
    expect(first.value?.event).toBe('request');
    expect(JSON.parse(first.value?.data ?? '')).toMatchObject({ status: 404, code: 'not_found' });
    await at.close();
    expect((await events.next()).done).toBe(true);
  });
});
