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

test('an exchange as documented has no violation', () => {
  expect(validator.violations(exchange())).toEqual([]);
  expect(validator.violations(exchange({ method: 'HEAD', body: '' }))).toEqual([]);
  expect(validator.violations(exchange({ status: 404, response: error('not_found') }))).toEqual([]);
});

test.each<[what: string, change: Parameters<typeof exchange>[0], says: string]>([
  ['a field too many', { response: { ...PRICING, score: 1 } }, 'score'],
  ['a field too few', { response: { ...PRICING, currency: undefined } }, 'currency'],
  ['a field of another type', { response: { ...PRICING, floor_price_cents: '1' } }, 'integer'],
  ['a body that is no JSON', { body: '{' }, 'no JSON'],
  ['another content type', { contentType: 'text/html' }, 'Content-Type'],
  ['a charset', { contentType: 'application/json; charset=utf-8' }, 'Content-Type'],
  ['a status of its own', { status: 202 }, 'no response of this status'],
  ['a code of another status', { status: 404, response: error('conflict') }, 'allowed values'],
  [
    'a code that it never gives',
    { status: 409, response: error('conflict') },
    'no response of this',
  ],
  ['an error with more in it', { status: 404, response: { ...error('not_found'), at: 1 } }, 'at'],
  ['a 429 without Retry-After', { status: 429, response: error('rate_limited') }, 'Retry-After'],
  ['a response at no path', { path: '/api/partner/v2/pricing' }, 'no such operation'],
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

test('faults may give any error of the envelope, and nothing else', () => {
  const odd = exchange({ status: 409, response: error('conflict') });
  expect(validator.violations(odd, { faults: true })).toEqual([]);
  const strange = exchange({ status: 418, response: error('teapot') });
  expect(validator.violations(strange, { faults: true })).not.toEqual([]);
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
