import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { ADMIT, RECEIVE, RESPOND } from '../../src/http/pipeline/steps.ts';
import { CHECKS, type Check } from '../../src/requests/trace.ts';
import { type Forgery, sendForged } from '../support/forged-request.ts';
import { magic, mint, orderBody, requestQuote } from '../support/orders.ts';
import { type Rejection, rejection } from '../support/responses.ts';
import { sandbox, sharedSandbox } from '../support/sandbox.ts';
import { digestOf, stateFolder } from '../support/state-folder.ts';

const CHECK_ORDER = [...RECEIVE, ...ADMIT, ...RESPOND].flatMap(({ check }) => check ?? []);

/** One fault for each check, in the order in which docs/fidelity.md lists the checks, and its rejection. */
const FAULTS = {
  'body size': { check: 'body', status: 413, code: 'validation_error' },
  'key-id header': { check: 'headers', status: 401, code: 'missing_credentials' },
  'signature header': { check: 'headers', status: 401, code: 'missing_signature_headers' },
  timestamp: { check: 'timestamp', status: 401, code: 'invalid_timestamp' },
  key: { check: 'key', status: 401, code: 'invalid_signature', says: 'key id' },
  signature: {
    check: 'signature',
    status: 401,
    code: 'invalid_signature',
    says: 'X-Service-Signature',
  },
  nonce: { check: 'nonce', status: 401, code: 'replay_detected' },
  route: { check: 'route', status: 404, code: 'not_found', says: 'no such endpoint' },
  scope: { check: 'scope', status: 403, code: 'forbidden', says: 'scope' },
  approval: { check: 'approval', status: 403, code: 'forbidden', says: 'approved' },
  'rate limit': { check: 'rate_limit', status: 429, code: 'rate_limited' },
  idempotency: { check: 'idempotency', status: 400, code: 'missing_idempotency_key' },
  validation: { check: 'validation', status: 400, code: 'validation_error', says: 'buyer' },
  'business rules': { check: 'rules', status: 422, code: 'price_mismatch' },
} satisfies Record<string, { check: Check; status: number; code: string; says?: string }>;

type Fault = keyof typeof FAULTS;
type Fixture = { status: number; code: string; says?: string };
const ORDER = Object.keys(FAULTS) as Fault[];

const dataDir = stateFolder(afterAll);
const at = await sharedSandbox({ dataDir, rateLimits: { write: 1 } });

/** The response to one order that has all of `faults`, by a credential of its own. */
async function responseTo(faults: ReadonlySet<Fault>): Promise<Rejection> {
  const genuine = await mint(at, {
    scopes: faults.has('scope') ? ['search', 'webhook'] : ['buy'],
    environment: faults.has('approval') ? 'LIVE' : 'SANDBOX',
  });
  // Not found, but counted.
  if (faults.has('rate limit')) await requestQuote(at, 'nobody-lists-this.com', genuine);
  const nowhere = '/api/partner/v1/nowhere';
  const nonce = 'nonce';
  if (faults.has('nonce')) {
    await sendForged(at, { method: 'GET', target: nowhere }, { key: genuine, nonce });
  }
  const { domain } = magic('held-order', 0);
  const price_cents = faults.has('business rules') ? 1 : 250_000;
  const sale = orderBody({ domain, price_cents, currency: 'USD' });
  const body = {
    ...sale,
    ...(faults.has('validation') && { buyer: 'nobody' }),
    ...(faults.has('body size') && { filler: 'x'.repeat(1024 * 1024) }),
  };
  const forgery: Forgery = {
    key: faults.has('key') ? { key_id: 'dmk_sandbox_nobody', secret: genuine.secret } : genuine,
    nonce,
    ...(faults.has('timestamp') && { timestamp: 1 }),
    ...(faults.has('signature') && { signed: { method: 'PUT' } }),
    without: [
      ...(faults.has('key-id header') ? (['Key-Id'] as const) : []),
      ...(faults.has('signature header') ? (['Signature'] as const) : []),
    ],
  };
  const request = {
    method: 'POST',
    target: faults.has('route') ? nowhere : '/api/partner/v1/orders',
    headers: faults.has('idempotency') ? {} : { 'Idempotency-Key': 'k' },
    body,
  };
  const before = digestOf(dataDir);
  const response = await rejection(await sendForged(at, request, forgery));
  expect(digestOf(dataDir), 'nothing has changed').toBe(before);
  return response;
}

function expectRejectionFor(fault: Fault, response: Rejection): void {
  const { says, status, code }: Fixture = FAULTS[fault];
  const expected = { status, code };
  expect(response).toMatchObject(expected);
  if (says !== undefined) expect(response.message).toContain(says);
}

test('every step that an order passes has a fault here, in the order of the steps', () => {
  const covered = new Set(Object.values(FAULTS).map(({ check }) => check));
  // No order needs an affiliate account.
  expect([...covered]).toEqual(CHECK_ORDER.filter((check) => check !== 'affiliate'));
});

test('the decision trace lists the checks in the order of the steps', () => {
  expect(CHECKS.filter((check) => CHECK_ORDER.includes(check))).toEqual(CHECK_ORDER);
});

test.each(ORDER)('a request with a wrong %s is rejected for it', async (fault) => {
  expectRejectionFor(fault, await responseTo(new Set([fault])));
});

const NEIGHBORS = ORDER.slice(1).map((second, n) => [ORDER[n] ?? second, second] as const);

test.each(NEIGHBORS)('%s is checked before %s', async (first, second) => {
  expectRejectionFor(first, await responseTo(new Set([first, second])));
});

test('of several mistakes in one request, the first check decides', async () => {
  await fc.assert(
    fc.asyncProperty(fc.subarray(ORDER, { minLength: 3 }), async (faults) => {
      const first = ORDER.find((fault) => faults.includes(fault));
      if (first) expectRejectionFor(first, await responseTo(new Set(faults)));
    }),
    { numRuns: 20 },
  );
});

test('a malformed percent escape in the path is checked after scope and rate limit', async () => {
  const at = await sandbox({ rateLimits: { search: 1 } });
  const target = '/api/partner/v1/domains/%zz';
  const respondTo = async (key: Parameters<typeof at.call>[1]) =>
    rejection(await at.call({ method: 'GET', target }, key));
  const buyer = await mint(at, { scopes: ['buy'] });
  const searcher = await mint(at, { scopes: ['search'] });
  expect(await respondTo(buyer)).toMatchObject({ status: 403, code: 'forbidden' });
  expect(await respondTo(searcher)).toMatchObject({
    status: 400,
    code: 'validation_error',
    message: 'name: the path has a malformed percent escape',
  });
  expect(await respondTo(searcher)).toMatchObject({ status: 429, code: 'rate_limited' });
});
