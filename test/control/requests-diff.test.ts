import { createHash, createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Comparison } from '../../src/control/comparisons.ts';
import type { InProcessSandbox } from '../../src/index.ts';
import { HOUR } from '../../src/kernel/time.ts';
import { commandLine } from '../cli/command-line.ts';
import { sendForged } from '../support/forged-request.ts';
import { magic, mint, orderBody, quoteFor, requestOrder, requestQuote } from '../support/orders.ts';
import { loggedIds } from '../support/request-log.ts';
import { rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';

const PRICING = '/api/partner/v1/pricing?domain=held-order.test';
const READ_PRICING = { method: 'GET', target: PRICING };
const QUOTES = '/api/partner/v1/quotes';
const SEARCH = '/api/partner/v1/domains/search';

const get = (at: InProcessSandbox, target: string, headers = {}) =>
  at.call({ method: 'GET', target, headers });

/** The ids of the newest requests of the partner API, oldest first. */
async function lastIds(at: InProcessSandbox, limit = 2): Promise<string[]> {
  return (await loggedIds(at, { limit })).reverse();
}

async function compareLast(at: InProcessSandbox): Promise<Comparison> {
  const [a, b] = await lastIds(at);
  return at.control.get(`/requests/${a}/diff`, { with: b });
}

/** Compares the newest request with the nearest one that succeeded. */
async function compareNewest(at: InProcessSandbox): Promise<Comparison> {
  const [id] = await lastIds(at, 1);
  return at.control.get(`/requests/${id}/diff`);
}

const pathsOf = (found: Comparison) => found.differences.map(({ path }) => path);

describe('two requests', () => {
  test('that differ in a query escape differ in that parameter', async () => {
    const at = await sandbox();
    await get(at, `${SEARCH}?q=a%20b&limit=1`);
    await get(at, `${SEARCH}?q=a+b&limit=1`);
    const found = await compareLast(at);
    expect(found.differences).toContainEqual({ path: 'query.q', a: 'a%20b', b: 'a+b' });
    expect(pathsOf(found).filter((path) => path.startsWith('query'))).toEqual(['query.q']);
  });

  test('with other Idempotency-Keys, bodies and results differ in them', async () => {
    const at = await sandbox();
    const sale = orderBody(magic('held-order', 1_999_00), { external_payment_ref: 'pay-1' });
    await requestOrder(at, sale, { idempotencyKey: 'one' });
    await requestOrder(at, { ...sale, expected_price: 1 }, { idempotencyKey: 'two' });
    const { differences } = await compareLast(at);
    expect(differences).toContainEqual({ path: 'headers.idempotency-key', a: 'one', b: 'two' });
    expect(differences).toContainEqual({ path: 'body.expected_price', a: 1_999_00, b: 1 });
  });

  test('of which one was signed in milliseconds name the line of the canonical string', async () => {
    const at = await sandbox();
    await sendForged(at, READ_PRICING);
    await sendForged(at, READ_PRICING, { timestamp: Date.now() });
    const found = await compareLast(at);
    expect(found.reason).toMatch(/^B failed .*milliseconds.*x-service-timestamp is "\d{10}" in A/);
    expect(pathsOf(found)).toContain('headers.x-service-timestamp');
  });

  test('of which one was signed without its nonce name that line', async () => {
    const at = await sandbox();
    await get(at, PRICING);
    const timestamp = Math.floor(Date.now() / 1_000);
    const bodyHash = createHash('sha256').digest('hex');
    const signed = ['GET', ...PRICING.split('?'), timestamp, bodyHash].join('\n');
    const digest = createHmac('sha256', at.credential.secret).update(signed).digest('hex');
    await sendForged(at, READ_PRICING, { timestamp, signature: () => `v1=${digest}` });
    expect((await compareLast(at)).reason).toMatch(/\(NONCE\)\. signed\.nonce is /);
  });

  test('that sent the same, or the same in other bytes, name the check that rejected one', async () => {
    const at = await sandbox();
    const { quote_id } = await quoteFor(at, 'held-order.test');
    const body = { quote_id, external_payment_ref: 'pay-1' };
    await requestOrder(at, body, { idempotencyKey: 'k' });
    await requestOrder(at, JSON.stringify(body, null, 1), { idempotencyKey: 'k' });
    expect((await compareNewest(at)).reason).toMatch(/ Only the bytes of the body differ\.$/);
    await at.control.post('/clock/advance', { by: '25h' });
    await requestOrder(at, body, { idempotencyKey: 'k' });
    expect((await compareNewest(at)).reason).toMatch(/^B failed .* Both sent the same\.$/);
  });

  test('that differ only in the quote or the timestamp did not send the same', async () => {
    const at = await sandbox();
    const quotes = [0, 1].map(() => quoteFor(at, 'held-order.test'));
    for (const { quote_id } of await Promise.all(quotes)) {
      const body = { quote_id, external_payment_ref: 'pay-1' };
      await requestOrder(at, body, { idempotencyKey: 'k' });
    }
    expect((await compareLast(at)).reason).toMatch(/already used with a different body\.$/);
    await requestOrder(at, {}, { idempotencyKey: 'k' });
    expect((await compareNewest(at)).reason).toContain(' B has no body.quote_id');
    for (const age of [0, HOUR]) await sendForged(at, READ_PRICING, { now: Date.now() - age });
    expect((await compareLast(at)).reason).toMatch(/^B failed the check timestamp: .*allowed\.$/);
  });

  test('of which one repeats a nonce, or has null for a missing field, differ in that', async () => {
    const at = await sandbox();
    for (const _ of [1, 2]) await sendForged(at, READ_PRICING, { nonce: 'twice' });
    expect(pathsOf(await compareLast(at))).toContain('checks.nonce');
    for (const domain of [null, 'held-order.test']) {
      await at.call({ method: 'POST', target: QUOTES, body: { domain } });
    }
    expect((await compareLast(at)).reason).toContain('body.domain is null in A');
    await at.call({ method: 'POST', target: QUOTES, body: '[]' });
    expect((await compareLast(at)).reason).toContain('body is {"domain"');
    const headers = { 'Content-Type': 'text/plain' };
    await at.call({ method: 'POST', target: QUOTES, body: { domain: 'held-order.test' }, headers });
    expect((await compareNewest(at)).reason).toContain('content-type is "application/json"');
  });

  test('nothing that was sent can change the comparison itself', async () => {
    const at = await sandbox();
    const target = `${SEARCH}?__proto__=1&constructor=2&q=%zz`;
    await at.fetch(target, { headers: { 'X-Odd': '[1].a' } });
    await at.fetch(target, { headers: { 'X-Odd': '[1].b' } });
    const found = await compareLast(at);
    expect(found.differences).toEqual([{ path: 'headers.x-odd', a: '[1].a', b: '[1].b' }]);
  });

  test('of which one has a body of 30,000 levels can be compared and shown', async () => {
    const at = await sandbox();
    const body = `{"deep":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    await requestOrder(at, body, { idempotencyKey: 'k' });
    await requestOrder(at, { deep: [] }, { idempotencyKey: 'k' });
    const { a, differences } = await compareLast(at);
    expect(differences).toContainEqual({ path: 'body', a: body, b: { deep: [] } });
    const page = await at.fetch(`/_sandbox/dashboard/requests/${a}`);
    expect(page.status).toBe(200);
    expect((await page.text()).length).toBeLessThan(4 * body.length);
  });
});

describe('the nearest request that succeeded', () => {
  test('is of the same operation and credential, and differs least', async () => {
    const at = await sandbox();
    const other = await mint(at, { partner: 'other' });
    const rejected = PRICING.replace('held-order.test', 'nobody-lists-this.com&x=1');
    await get(at, `${PRICING}&x=1`);
    await get(at, PRICING);
    await at.call({ method: 'GET', target: `${PRICING}&x=1` }, other);
    await get(at, rejected);
    const [near, , , failed] = await lastIds(at, 4);
    const reason = expect.stringContaining('"held-order.test" in A, "nobody-lists-this.com" in B');
    expect(await compareNewest(at)).toMatchObject({ a: near, b: failed, same: false, reason });
  });

  test('is of another credential if none of the same one succeeded', async () => {
    const at = await sandbox();
    for (const scopes of [['search'], ['buy']])
      await at.call({ method: 'GET', target: PRICING }, await mint(at, { scopes }));
    const reason = expect.stringMatching(/needs the scope search.* headers.x-service-key-id is /);
    expect(await compareNewest(at)).toMatchObject({ reason });
  });

  test('is found for a wrong signature, which is rejected before its endpoint is known', async () => {
    const at = await sandbox();
    for (const method of ['GET', 'HEAD']) {
      await at.call({ method, target: PRICING });
      const target = PRICING.replace('held-order.test', 'lost-response.test');
      await sendForged(at, { method, target }, { signed: { query: 'domain=held-order.test' } });
      const [near, failed] = await lastIds(at);
      const reason = expect.stringMatching(/^B failed .* signature: .* changed after signing\.$/);
      expect(await compareNewest(at)).toMatchObject({ a: near, b: failed, reason });
    }
  });

  test('differs in what the failed check reads, or its reason is the rejection alone', async () => {
    const at = await sandbox();
    const quotes = await Promise.all(
      [0, 1].map(async (n) => quoteFor(at, (await seededListing(n)).domain)),
    );
    for (const { quote_id, domain } of quotes) {
      const sale = { quote_id, external_payment_ref: `pay ${domain}` };
      await requestOrder(at, sale, { idempotencyKey: domain });
      await at.control.post('/clock/advance', { by: '11m' });
    }
    const found = await compareNewest(at);
    expect(pathsOf(found)).toContain('headers.idempotency-key');
    expect(found.reason).toMatch(/^B failed .* quote_id: expired [^;]+; create another quote\.$/);
  });

  test('is missing if none is in the log', async () => {
    const at = await sandbox();
    const message = expect.stringMatching(/^with: no other POST .*\/quotes in the log/);
    for (const domain of ['nobody-lists-this.com', 'held-order.test']) {
      await requestQuote(at, domain);
      await expect(compareNewest(at)).rejects.toMatchObject({ status: 404, message });
      const page = await at.fetch(`/_sandbox/dashboard/requests/${(await lastIds(at, 1))[0]}`);
      expect((await page.text()).includes('nearest request')).toBe(false);
    }
  });
});

test.each([
  ['ord_0000003w7r0hd5tn', 404, 'with: request ord_0000003w7r0hd5tn not found'],
  ['req_0000003w7r0hd5tn', 404, 'with: request req_0000003w7r0hd5tn not found'],
])('comparing with %s is rejected with %i', async (id, status, message) => {
  const at = await sandbox();
  await get(at, PRICING);
  const [own] = await lastIds(at, 1);
  const found = await rejection(await at.fetch(`/_sandbox/requests/${own}/diff?with=${id}`));
  expect(found).toMatchObject({ status, message: expect.stringContaining(message) });
});

test('requests diff exits with 0 if there is no difference, with 1 if there is', async () => {
  const at = await sandbox();
  const run = commandLine(at);
  await get(at, PRICING);
  await get(at, PRICING);
  const [a, b] = await lastIds(at);
  const same = await run(`requests diff ${a} ${b}`);
  expect([same.code, same.stdout]).toEqual([0, expect.stringContaining('no difference')]);
  await get(at, PRICING.replace('held', 'nobody'));
  const [, c] = await lastIds(at);
  const other = await run(`requests diff ${c}`);
  expect(other.code).toBe(1);
  expect(other.stdout).toContain('query.domain\n- "held-order.test"\n+ "nobody-order.test"');
  const json = await run(`requests diff ${a} ${c} --json`);
  expect(json.code).toBe(1);
  const { volatile, ...comparison } = json.json<Comparison>();
  expect(comparison).toMatchObject({ a, b: c, same: false });
  expect(volatile.map(({ path }) => path)).toContain('headers.x-service-nonce');
});
