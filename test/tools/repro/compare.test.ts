import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareResponses, compareTexts } from '../../../src/tools/repro/differences.ts';
import type { ResponseRecord } from '../../../src/tools/repro/format.ts';
import { ignoredPathsOf } from '../../../src/tools/repro/operation.ts';

const json = (status: number, body: unknown, headers: [string, string][] = []): ResponseRecord => ({
  status,
  headers,
  body: { text: JSON.stringify(body) },
});

test('equal responses have no difference', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(compareResponses(json(200, value), json(200, value), 'partner')).toEqual([]);
    }),
  );
});

test('each different field is reported with its path, and a missing one as absent', () => {
  const recorded = json(422, { error: { code: 'quote_expired', hints: ['a', 'b'] } });
  const replayed = json(201, { public_id: 'ord_1', error: { hints: ['a', 'c'] } });
  expect(compareResponses(recorded, replayed, 'partner')).toEqual([
    { path: 'status', recorded: 422, replayed: 201 },
    { path: 'error.code', recorded: 'quote_expired' },
    { path: 'error.hints[1]', recorded: 'b', replayed: 'c' },
    { path: 'public_id', replayed: 'ord_1' },
  ]);
});

test('at most 20 differences are reported', () => {
  const all = (value: number) => Array.from({ length: 50 }, () => value);
  expect(compareTexts(JSON.stringify(all(1)), JSON.stringify(all(2)))).toHaveLength(20);
});

describe('a difference is found', () => {
  test.each<[what: string, recorded: ResponseRecord, replayed: ResponseRecord, path: string]>([
    [
      'in a header',
      json(429, {}, [['Retry-After', '2']]),
      json(429, {}, [['Retry-After', '3']]),
      'headers.retry-after',
    ],
    [
      'in a missing header',
      json(429, {}, [['Retry-After', '2']]),
      json(429, {}),
      'headers.retry-after',
    ],
    ['if one was closed', { closed: true }, json(200, {}), 'status'],
    ['between a list and an object', json(200, []), json(200, {}), 'body'],
    [
      'in a body that is not JSON',
      { status: 200, headers: [], body: { text: 'a' } },
      { status: 200, headers: [], body: { text: 'b' } },
      'body',
    ],
    [
      'in a long body',
      { status: 200, headers: [], body: { bytes: 40_000, sha256: 'a'.repeat(64) } },
      { status: 200, headers: [], body: { bytes: 40_000, sha256: 'b'.repeat(64) } },
      'body',
    ],
    ['in an inherited name', json(200, { constructor: 1 }), json(200, {}), 'constructor'],
  ])('%s', (_what, recorded, replayed, path) => {
    expect(compareResponses(recorded, replayed, 'partner')).toMatchObject([{ path }]);
  });
});

test('a difference of white space or the order of fields only is told as such', () => {
  const note = 'only white space, or the order or spelling of fields, differs';
  expect(compareTexts('{"a":1,"b":2}', '{"b":2,"a":1}')).toEqual([{ path: 'body', note }]);
  expect(compareTexts('{"a":1}', '{"a": 1}')).toEqual([{ path: 'body', note }]);
});

test('only what the operation ignores is not compared', () => {
  const body = (n: number) => ({ attempts: [{ outcome: 'ok', response: `${n}`, secret: `${n}` }] });
  const ignored = ['attempts[].response'];
  expect(compareResponses(json(200, body(1)), json(200, body(2)), 'control', ignored)).toEqual([
    { path: 'attempts[0].secret', recorded: '1', replayed: '2' },
  ]);
});

const FIRE = { api: 'control', method: 'POST', target: '/_sandbox/webhooks/fire?world=w' } as const;

test.each([
  ['event', { event: { id: 'evt_2' } }, 'event.id'],
  ['url', { url: 'http://b' }, 'url'],
  [
    'outcome',
    { attempts: [{ outcome: 'timeout', duration_ms: 3, response: 'x' }] },
    'attempts[0].outcome',
  ],
  [
    'duration',
    { attempts: [{ outcome: 'ok', duration_ms: 4, response: 'x' }] },
    'attempts[0].duration_ms',
  ],
  ['missing response', { attempts: [{ outcome: 'ok', duration_ms: 3 }] }, 'attempts[0].response'],
])('a changed %s of webhooks fire is a difference', (_what, change, path) => {
  const fired = {
    url: 'http://a',
    event: { id: 'evt_1' },
    attempts: [{ outcome: 'ok', duration_ms: 3, response: 'x' }],
  };
  expect(
    compareResponses(
      json(200, fired),
      json(200, { ...fired, ...change }),
      'control',
      ignoredPathsOf(FIRE),
    ),
  ).toMatchObject([{ path }]);
});

test('what the receiver said to webhooks fire is not compared', () => {
  const fired = (response: string) => json(200, { attempts: [{ response }] });
  expect(compareResponses(fired('a'), fired('b'), 'control', ignoredPathsOf(FIRE))).toEqual([]);
});

test('of a page, only the status and the Location are compared', () => {
  const page = (location: string, text: string): ResponseRecord => ({
    status: 303,
    headers: [
      ['Location', location],
      ['Set-Cookie', text],
    ],
    body: { text },
  });
  expect(compareResponses(page('/a', 'x'), page('/a', 'y'), 'page')).toEqual([]);
  expect(compareResponses(page('/a', 'x'), page('/b', 'x'), 'page')).toMatchObject([
    { path: 'headers.location' },
  ]);
});

test.each([
  ['a placeholder', 'redactedAb12', true],
  ['the placeholder of a short secret', '****', true],
  ['a placeholder with slashes', 'redacted/Ab/12', true],
  ['the same', '[redacted]', true],
  ['a value', 'whsec_1', false],
  ['a placeholder and more', 'redacted-1', false],
])('[redacted] beside %s', (_what, value, isSame) => {
  const differences = compareTexts('{"a":"[redacted]","b":1}', `{"a":"${value}","b":1}`);
  expect(differences.length === 0).toBe(isSame);
});

test('two placeholders that differ are a difference', () => {
  expect(compareTexts('{"a":"redactedA"}', '{"a":"redactedB"}')).toHaveLength(1);
});
