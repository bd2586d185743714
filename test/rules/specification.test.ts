import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/api/index.ts';
import { EVENT_KINDS, EVENT_TYPES } from '../../src/events/event-types.ts';
import { SPECIFIED_RATE_LIMITS } from '../../src/http/rate-limits.ts';
import type { InProcessSandbox, PartnerRequest } from '../../src/index.ts';
import { ERROR_STATUS } from '../../src/kernel/errors.ts';
import { SCOPES } from '../../src/store/schema/enums.ts';
import { MAX_ATTEMPTS, nextAttemptAt } from '../../src/webhooks/retry-schedule.ts';
import { callOf, SPECIFIED_ENDPOINTS } from '../support/endpoints.ts';
import { caseFor, RESOLD } from '../support/money.ts';
import { type MintInput, mint, orderFor } from '../support/orders.ts';
import { rejection } from '../support/responses.ts';
import { testRuntime } from '../support/runtime.ts';
import { sandbox, sharedSandbox } from '../support/sandbox.ts';

/**
 * The specification's tables, written out once more from its text (and from docs/fidelity.md where it is silent),
 * so that the code cannot vouch for itself: an endpoint, scope, event or code too many or too few fails here.
 */
const V1 = '/api/partner/v1';

const ALL_SCOPES = ['search', 'embed', 'buy', 'broker', 'refer', 'report', 'webhook'];

const statusOf = (method: string) => (method === 'POST' ? 201 : 200);

test('the running app declares these endpoints, and not one more', () => {
  const declared = ENDPOINTS.map(
    ({ method, path, scopes, rateClass, requiresAffiliate = false, status }) =>
      JSON.stringify([method, path, scopes.toSorted(), rateClass, requiresAffiliate, status]),
  );
  const specified = SPECIFIED_ENDPOINTS.map(
    ({ method, path, scopes, rateClass, affiliate = false }) =>
      JSON.stringify([method, path, scopes.toSorted(), rateClass, affiliate, statusOf(method)]),
  );
  expect(declared.toSorted()).toEqual(specified.toSorted());
});

/** What the calls of some endpoints must name so that they succeed. */
const FITTING: Record<string, (at: InProcessSandbox) => Promise<Partial<PartnerRequest>>> = {
  [`GET ${V1}/orders/:public_id`]: async (at) => ({
    target: `${V1}/orders/${(await orderFor(at, RESOLD)).public_id}`,
  }),
  [`POST ${V1}/refunds`]: async (at) => ({
    body: { public_id: (await orderFor(at, RESOLD)).public_id },
  }),
  [`GET ${V1}/brokerage/:case_id`]: async (at) => ({
    target: `${V1}/brokerage/${(await caseFor(at, 'other.example')).case_id}`,
  }),
};

const rejecting = await sharedSandbox({ rateLimits: false });

describe.each(SPECIFIED_ENDPOINTS)('$method $path', (endpoint) => {
  const { method, path, scopes, rateClass, affiliate = false } = endpoint;
  const status = statusOf(method);

  /** Calls it as the partner of the default credential, in a way that can only succeed. */
  async function caller(at: InProcessSandbox) {
    const fitting = await FITTING[`${method} ${path}`]?.(at);
    return async (input: MintInput) => {
      const key = await mint(at, { partner: 'local', ...input });
      return () => at.call({ ...callOf(endpoint), ...fitting }, key);
    };
  }

  test.each(scopes)(`succeeds with the scope %s alone, by ${status}`, async (scope) => {
    const at = await sandbox();
    const call = await (await caller(at))({ scopes: [scope] });
    expect((await call()).status).toBe(status);
  });

  test('is forbidden without its scope, with any other scope', async () => {
    const others = ALL_SCOPES.filter((scope) => !scopes.includes(scope));
    const call = await (await caller(rejecting))({ scopes: others });
    expect(await rejection(await call())).toMatchObject({
      status: 403,
      code: 'forbidden',
      message: expect.stringContaining(scopes.join(' or ')),
    });
  });

  test(`${affiliate ? 'needs' : 'needs no'} affiliate account`, async () => {
    const at = await sandbox();
    const call = await (await caller(at))({ affiliate: false });
    const response = await call();
    expect(response.status).toBe(affiliate ? 403 : status);
    if (affiliate) expect((await rejection(response)).message).toContain('affiliate');
  });

  test(`counts as ${rateClass}, and as nothing else`, async () => {
    const rateLimits = { search: 1, write: 2, reporting: 3, default: 4 };
    const at = await sandbox({ rateLimits, runtime: testRuntime() });
    const call = await (await caller(at))({});
    expect((await call()).status).toBe(status);
    let admitted = 1;
    while ((await call()).status !== 429) admitted += 1;
    expect(admitted).toBe(rateLimits[rateClass]);
  });
});

test('there is nothing at the methods that the tables do not list', async () => {
  const at = await sandbox({ rateLimits: false });
  const known = new Set(SPECIFIED_ENDPOINTS.map(({ method, path }) => `${method} ${path}`));
  for (const path of new Set(SPECIFIED_ENDPOINTS.map((each) => each.path))) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
      if (known.has(`${method} ${path}`)) continue;
      const response = await at.call({ method, target: path.replace(/:\w+/, 'eligibilit') });
      expect(await rejection(response), `${method} ${path}`).toMatchObject({
        status: 404,
        code: 'not_found',
      });
    }
  }
});

test('the scopes are these seven', () => {
  expect([...SCOPES].toSorted()).toEqual(ALL_SCOPES.toSorted());
});

test('the events are these seven, and each says what it means', () => {
  const specified = [
    'order.recorded',
    'order.manual_review_cleared',
    'order.transfer_started',
    'order.transfer_completed',
    'order.settled',
    'order.refunded',
    'brokerage.case_completed',
  ];
  expect([...EVENT_TYPES].toSorted()).toEqual(specified.toSorted());
  expect(Object.keys(EVENT_KINDS).toSorted()).toEqual(specified.toSorted());
});

test('the error codes are these fourteen, with these statuses', () => {
  expect({ ...ERROR_STATUS }).toEqual({
    // "Errors"
    validation_error: 400,
    invalid_signature: 401,
    missing_credentials: 401,
    forbidden: 403,
    not_found: 404,
    conflict: 409,
    price_mismatch: 422,
    quote_expired: 422,
    rate_limited: 429,
    internal_error: 500,
    // "Additional codes in authentication"; their statuses are our choice
    invalid_timestamp: 401,
    replay_detected: 401,
    missing_signature_headers: 401,
    missing_idempotency_key: 400,
  });
});

test('every endpoint declares codes that exist, and POST /orders alone asks for an Idempotency-Key', () => {
  const known = new Set(Object.keys(ERROR_STATUS));
  for (const { path, errors = {}, idempotent } of ENDPOINTS) {
    for (const code of Object.keys(errors)) expect(known, path).toContain(code);
    expect('missing_idempotency_key' in errors, path).toBe(idempotent ?? false);
  }
  const idempotent = ENDPOINTS.filter((each) => each.idempotent);
  expect(idempotent.map(({ method, path }) => `${method} ${path}`)).toEqual([`POST ${V1}/orders`]);
});

test('the limits are those of "Limits"', () => {
  expect(SPECIFIED_RATE_LIMITS).toEqual({ search: 60, write: 20, reporting: 30, default: 120 });
});

test('a delivery is tried eight times, this long apart', () => {
  const waits = [];
  for (let made = 1; ; made += 1) {
    const next = nextAttemptAt(made, 1_000_000);
    if (next === undefined) break;
    waits.push((next - 1_000_000) / 1_000);
  }
  expect(waits).toEqual([5, 30, 2 * 60, 10 * 60, 30 * 60, 2 * 3_600, 6 * 3_600]);
  expect(MAX_ATTEMPTS).toBe(8);
});
