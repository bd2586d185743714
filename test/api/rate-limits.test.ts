import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InProcessSandbox, Key, PartnerRequest } from '../../src/index.ts';
import { callOf, SPECIFIED_ENDPOINTS } from '../support/endpoints.ts';
import { mint } from '../support/orders.ts';
import { answered, rejection } from '../support/responses.ts';
import { type TestRuntime, testRuntime } from '../support/runtime.ts';
import { sandbox, sandboxWithRuntime } from '../support/sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';

const V1 = '/api/partner/v1';
const QUOTE: PartnerRequest = {
  method: 'POST',
  target: `${V1}/quotes`,
  body: { domain: 'held-order.test' },
};
const ORDERS: PartnerRequest = { method: 'GET', target: `${V1}/orders` };

const LIMITS = { search: 60, write: 20, reporting: 30, default: 120 } as const;

async function passes(at: InProcessSandbox, request: PartnerRequest, key?: Key) {
  return (await at.call(request, key)).status !== 429;
}

describe.each(Object.entries(LIMITS))('class %s', (name, limit) => {
  const calls = SPECIFIED_ENDPOINTS.filter(({ rateClass }) => rateClass === name).map(callOf);

  test(`lets ${limit} requests of its endpoints together pass in a minute`, async () => {
    const at = await sandbox({ runtime: testRuntime(), rateLimits: true });
    for (let n = 0; n < limit; n += 1) {
      const call = calls[n % calls.length];
      if (call) expect(await passes(at, call)).toBe(true);
    }
    for (const call of calls) {
      expect(await rejection(await at.call(call))).toMatchObject({
        status: 429,
        code: 'rate_limited',
        retryAfter: '60',
      });
    }
  });
});

test('HEAD counts as GET does', async () => {
  const at = await sandbox({ rateLimits: { default: 1 } });
  expect(await passes(at, { ...ORDERS, method: 'HEAD' })).toBe(true);
  expect(await passes(at, { ...ORDERS, method: 'HEAD' })).toBe(false);
  expect(await passes(at, ORDERS)).toBe(false);
});

test('windows of the future are forgotten after the clock of the machine was set back', async () => {
  const { at, runtime } = await sandboxWithRuntime({ rateLimits: { default: 1 } });
  expect(await passes(at, ORDERS)).toBe(true);
  runtime.time -= 3_600_000;
  expect([await passes(at, ORDERS), await passes(at, ORDERS)]).toEqual([true, false]);
});

describe('Retry-After', () => {
  test('is the time after which the next request passes, and no second more', async () => {
    const { at, runtime } = await sandboxWithRuntime({ rateLimits: true });
    for (let n = 0; n < 20; n += 1) {
      runtime.time += 1_000;
      expect(await passes(at, QUOTE)).toBe(true);
    }
    const { retryAfter } = await rejection(await at.call(QUOTE));
    expect(retryAfter).toBe('41');
    runtime.time += 40_999;
    expect(await rejection(await at.call(QUOTE))).toMatchObject({ retryAfter: '1' });
    runtime.time += 1;
    expect(await passes(at, QUOTE)).toBe(true);
    expect(await rejection(await at.call(QUOTE))).toMatchObject({ retryAfter: '1' });
  });

  test('is kept to, whenever the requests came', async () => {
    const gaps = fc.array(fc.oneof(fc.nat(3_000), fc.nat(40_000), fc.constant(0)), {
      minLength: 5,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), gaps, async (limit, waits) => {
        const { at, runtime } = await sandboxWithRuntime({ rateLimits: { default: limit } });
        await expectSlidingWindow(at, runtime, limit, waits);
      }),
      { numRuns: 15 },
    );
  });
});

/** Holds every response against a model: the times of the requests that passed in the last 60 s. */
async function expectSlidingWindow(
  at: InProcessSandbox,
  runtime: TestRuntime,
  limit: number,
  waits: number[],
): Promise<void> {
  let passed: number[] = [];
  for (const wait of waits) {
    runtime.time += wait;
    passed = passed.filter((time) => time > runtime.time - 60_000);
    const response = await at.call(ORDERS);
    expect(response.status).toBe(passed.length < limit ? 200 : 429);
    if (response.status === 200) {
      passed.push(runtime.time);
      continue;
    }
    const seconds = Number(response.headers.get('retry-after'));
    expect(seconds).toSatisfy(Number.isInteger);
    expect(seconds).toBeGreaterThanOrEqual(1);
    const [oldest = 0] = passed;
    expect(seconds).toBe(Math.ceil((oldest + 60_000 - runtime.time) / 1_000));
    runtime.time += seconds * 1_000;
    passed = passed.filter((time) => time > runtime.time - 60_000);
    expect((await at.call(ORDERS)).status).toBe(200);
    passed.push(runtime.time);
  }
}

test('a request that fails before the rate limit does not count, one that fails after it does', async () => {
  const at = await sandbox({ runtime: testRuntime(), rateLimits: { write: 1 } });
  const key = await mint(at, { scopes: ['search', 'buy'], partner: 'p' });
  const wrong = { ...key, secret: 'wrong' };
  const searcher = await mint(at, { scopes: ['search'], partner: 'p' });
  for (let n = 0; n < 3; n += 1) {
    expect((await at.call(QUOTE, wrong)).status).toBe(401);
    expect((await at.call(QUOTE, searcher)).status).toBe(403);
    expect((await at.call({ method: 'POST', target: `${V1}/nowhere` }, key)).status).toBe(404);
  }
  expect((await at.call({ ...QUOTE, body: {} }, key)).status).toBe(400);
  expect((await at.call(QUOTE, key)).status).toBe(429);
});

test('each credential has a limit of its own, also beside one of the same partner', async () => {
  const at = await sandbox({ rateLimits: { write: 1 } });
  const sibling = await mint(at, { partner: 'local' });
  expect(await passes(at, QUOTE)).toBe(true);
  expect(await passes(at, QUOTE)).toBe(false);
  expect(await passes(at, QUOTE, sibling)).toBe(true);
  expect(await passes(at, QUOTE, sibling)).toBe(false);
});

test('the sandbox clock does not move the limits, real time does', async () => {
  const { at, runtime } = await sandboxWithRuntime({ rateLimits: { write: 1 } });
  expect(await passes(at, QUOTE)).toBe(true);
  await at.control.post('/clock/advance', { by: '1d' });
  expect(await passes(at, QUOTE)).toBe(false);
  runtime.time += 60_000;
  expect(await passes(at, QUOTE)).toBe(true);
});

test('a restart forgets the requests', async () => {
  const dataDir = stateFolder();
  const runtime = testRuntime();
  const before = await sandbox({ dataDir, runtime, rateLimits: { write: 2 } });
  for (let n = 0; n < 2; n += 1) expect(await passes(before, QUOTE)).toBe(true);
  await before.close();
  const after = await sandbox({ dataDir, runtime, rateLimits: { write: 2 } });
  expect(await passes(after, QUOTE)).toBe(true);
});

test('the control API deletes them', async () => {
  const at = await sandbox({ rateLimits: { write: 1 } });
  expect(await passes(at, QUOTE)).toBe(true);
  expect(await passes(at, QUOTE)).toBe(false);
  await at.control.post('/rate-limits/reset');
  expect(await passes(at, QUOTE)).toBe(true);
});

test('createSandbox has no limits unless asked for, and one limit can be raised', async () => {
  const free = await sandbox();
  const other = await sandbox({ rateLimits: { write: 200 } });
  for (let n = 0; n < 130; n += 1) {
    expect(await passes(free, ORDERS)).toBe(true);
    expect(await passes(other, QUOTE)).toBe(true);
    if (n < 120) expect(await passes(other, ORDERS)).toBe(true);
  }
  expect(await passes(other, ORDERS)).toBe(false);
});

test('thirty requests at once share one budget', async () => {
  const at = await sandbox({ runtime: testRuntime(), rateLimits: true });
  const responses = await Promise.all(Array.from({ length: 30 }, () => at.call(QUOTE)));
  expect(responses.filter((response) => response.status === 201)).toHaveLength(20);
  for (const response of responses.filter((each) => each.status !== 201)) {
    expect(await rejection(response)).toMatchObject({ code: 'rate_limited', retryAfter: '60' });
  }
});

test('the status has the limits, and a 429 says how to lift them', async () => {
  const none = { search: null, write: null, reporting: null, default: null };
  const off = await sandbox();
  expect(await off.control.get('/status')).toMatchObject({ rate_limits: none });
  const at = await sandbox({ rateLimits: { write: 1 } });
  expect(await at.control.get('/status')).toMatchObject({ rate_limits: { ...LIMITS, write: 1 } });
  expect(await passes(at, QUOTE)).toBe(true);
  const { message } = await rejection(await at.call(QUOTE));
  expect(message).toMatch(/--no-rate-limits .*rateLimits: false/);
});

test('other rejections carry no Retry-After', async () => {
  const at = await sandbox();
  const responses = [
    await at.call({ ...QUOTE, body: {} }),
    await at.call(QUOTE, { key_id: 'x', secret: 'y' }),
  ];
  for (const response of responses) expect((await rejection(response)).retryAfter).toBeNull();
  expect(await answered<object>(await at.call(QUOTE), 201)).toBeTruthy();
});
