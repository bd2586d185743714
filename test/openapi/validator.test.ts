import { expect, test } from 'vitest';
import type { Exchange } from '../support/openapi/exchange.ts';
import { createValidator } from '../support/openapi/validator.ts';
import { documented, takeViolations } from '../support/openapi/watch.ts';
import { sandbox } from '../support/sandbox.ts';

const validator = createValidator();

const PRICING = {
  domain: 'a.example',
  buy_now_price_cents: 1,
  floor_price_cents: 1,
  currency: 'USD',
};

function exchange(change: Partial<Exchange> & { response?: unknown } = {}): Exchange {
  const { response = PRICING, ...rest } = change;
  return {
    method: 'GET',
    path: '/api/partner/v1/pricing',
    sent: undefined,
    status: 200,
    contentType: 'application/json',
    retryAfter: null,
    body: JSON.stringify(response),
    ...rest,
  };
}

function error(code: string) {
  return { error: { code, message: 'no' } };
}

test.each<[what: string, change: Parameters<typeof exchange>[0], says: string]>([
  ['a field too many', { response: { ...PRICING, score: 1 } }, 'score'],
  ['a field of another type', { response: { ...PRICING, floor_price_cents: '1' } }, 'integer'],
  ['another content type', { contentType: 'text/html' }, 'Content-Type'],
  ['a status of its own', { status: 202 }, 'no response of this status'],
  ['a code of another status', { status: 404, response: error('conflict') }, 'allowed values'],
  [
    'a code that it never gives',
    { status: 409, response: error('conflict') },
    'no response of this',
  ],
  ['a 429 without Retry-After', { status: 429, response: error('rate_limited') }, 'Retry-After'],
  ['a response of no method', { method: 'DELETE' }, 'no such operation'],
])('%s is a violation', (_what, change, says) => {
  const [violation = ''] = validator.violations(exchange(change));
  expect(violation).toContain(says);
});

test('a request that was accepted must fit its schema', () => {
  const created = {
    method: 'POST',
    path: '/_sandbox/clock/freeze',
    response: { now: '2026-01-05T09:00:00.000Z', offset_ms: 0, frozen: true },
  };
  expect(validator.violations(exchange({ ...created, sent: '{}' }))).toEqual([]);
  expect(validator.violations(exchange({ ...created, sent: '{"for":"ever"}' }))).not.toEqual([]);
});

test('a response that does not match the documents fails the test', async () => {
  const at = await sandbox();
  const broken = documented({
    ...at,
    fetch: async () => Response.json({ ...PRICING, more: true }),
  });
  await broken.call({ method: 'GET', target: '/api/partner/v1/pricing?domain=a.example' });
  expect(takeViolations()).toHaveLength(1);
});
