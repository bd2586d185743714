import { Partner } from './partner.ts';
import type { Random } from './random.ts';

/** A malformed request to an API or a page. */
export interface MalformedRequest {
  bytes: Buffer;
  method: string;
  target: string;
}

/** A route and the names of the fields of its body. */
export interface Route {
  method: string;
  path: string;
  fields: string[];
}

/** Routes that stop the server, or whose response takes its time on purpose. */
const LEFT_OUT = /\/(?:stop|stream|wait|idle|until)$/;

/** Returns the routes of an OpenAPI document. */
export function routesOf(document: unknown): Route[] {
  const { paths } = document as { paths: Record<string, Record<string, unknown>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => /^(?:get|post|put|patch|delete)$/.test(method) && !LEFT_OUT.test(path))
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        fields: [...JSON.stringify(operation).matchAll(/"name":"(\w+)"/g)].map(
          ([, name]) => name ?? '',
        ),
      })),
  );
}

const PAGES = [
  '/checkout',
  '/r/abc',
  '/buy/a.com',
  '/progress/x',
  '/_sandbox/',
  '/_sandbox/dashboard/orders',
  '/',
];

/** Values that fields, queries and paths must reject. */
const VALUES: unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e21,
  -1e-7,
  9_007_199_254_740_994,
  '',
  ' ',
  '0',
  '-1',
  'NaN',
  'null',
  '\u0000',
  '\ud800',
  '\u202e',
  '💥'.repeat(50),
  'x'.repeat(5_000),
  '../../etc/passwd',
  '<script>alert(1)</script>',
  "' OR 1=1 --",
  '%00',
  '{{7*7}}',
  '2026-02-30',
  '9999-12-31T23:59:60Z',
  'http://[',
  'a@b',
  '__proto__',
  'constructor',
  [],
  {},
  [[]],
  [null],
  { __proto__: null, toString: 1 },
  Array(200).fill(0),
];

const QUERIES = [
  '%',
  '%zz',
  '%ff',
  '%00=%00',
  'limit=-1',
  'limit=1e9',
  'limit=9'.repeat(20),
  'cursor=%00',
  'cursor=abc.def',
  'q=%ED%A0%80',
  'world=',
  'world=..',
  'world=default&world=default',
  'a=b&&=&c',
  'from=x&to=y',
  '&'.repeat(300),
  `q=${'%C3%A9'.repeat(500)}`,
  'domain=%E2%80%AE',
  'after_id=evt_1',
  '=',
  '+',
  "!'()*=~",
];

const SEGMENTS = [
  '%00',
  '%2e%2e',
  '..',
  '%2F',
  '%ff',
  'x'.repeat(3_000),
  '%E2%98%83',
  ' ',
  ';',
  '{id}',
  '*',
];

const JSON_TEXTS: (string | Uint8Array)[] = [
  '',
  ' ',
  'null',
  '[]',
  '"x"',
  '1',
  '{',
  '{"a":',
  '{"a":1,}',
  "{'a':1}",
  '\uFEFF{}',
  '{"a":1}{"b":2}',
  'NaN',
  '['.repeat(5_000),
  '{"a":'.repeat(3_000),
  `{"a":"${'\\ud800'.repeat(10)}"}`,
  '{"__proto__":{"x":1}}',
  '{"domain":"a.com","domain":"b.com"}',
  '{"expected_price":1e400}',
  '{"a":"\u0000"}',
  Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d),
  Uint8Array.of(0xc3, 0x28),
  'a=b&c=d',
  '--x\r\n',
];

const METHODS = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'get',
  'G E T',
  '',
  'X'.repeat(100),
];

const HEADERS = [
  'no colon',
  ': empty',
  'X\u0000: a',
  'X : a',
  'X: a\u0000b',
  'X: \u0007',
  `X-Long: ${'y'.repeat(20_000)}`,
  ' folded: x',
  'Content-Length: -1',
  'Content-Length: abc',
  'Content-Length: 5\r\nContent-Length: 6',
  'Content-Length: 99999999999999999999',
  'Transfer-Encoding: chunked\r\nContent-Length: 3',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: gzip',
  'Expect: 100-continue',
  'Expect: x',
  'Connection: upgrade\r\nUpgrade: websocket',
  'Host: evil.example',
  'Host: a\r\nHost: b',
  `Cookie: ${'a=b; '.repeat(300)}`,
  'Content-Type: text/plain; charset=utf-16',
  'Content-Type: multipart/form-data',
  'Content-Encoding: gzip',
  'X-Service-Key-Id: \u00ff',
  'X-Service-Timestamp: 1e10',
  'X-Service-Signature: v1=zz',
  'Origin: null',
  'Sec-Fetch-Site: cross-site',
  `Accept: */*\r\n${'X-Many: 1\r\n'.repeat(150)}X-Last: 1`,
];

const WHOLE = [
  'GET',
  'GET / HTTP/1.1',
  'GET / HTTP/9.9\r\n\r\n',
  'GET  /  HTTP/1.1\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\u0016\u0003\u0001\u0002\u0000\u0001',
  'GET / HTTP/1.1\nHost: x\n\n',
  'GET http:// HTTP/1.1\r\nHost: x\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'GET //evil HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  'POST /api/partner/v1/orders HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'POST /api/partner/v1/orders HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc',
  'POST /_sandbox/reset HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{"a"',
  'GET /_sandbox/health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /api HTTP/1.1\r\n: bad\r\n\r\n',
];

/** Generates a malformed request. */
export function malformedRequest(
  random: Random,
  url: string,
  routes: readonly Route[],
): MalformedRequest {
  const kind = random.int(0, 9);
  if (kind === 0) return { bytes: random.bytes(random.int(1, 2_000)), method: '', target: '' };
  if (kind === 1)
    return { bytes: Buffer.from(random.pick(WHOLE), 'latin1'), method: '', target: '' };
  if (kind === 2) return toPage(random);
  const route = random.pick(routes);
  const target = pathOf(random, route) + (random.chance(0.4) ? `?${random.pick(QUERIES)}` : '');
  const method = random.chance(0.1) ? random.pick(METHODS) : route.method;
  const body = route.method === 'GET' ? '' : bodyOf(random, route);
  const headers = random.chance(0.2) ? [random.pick(HEADERS)] : [];
  if (target.startsWith('/api/partner') && random.chance(0.8)) {
    headers.push(...signature(url, method, target, body));
  }
  return httpRequest(method, target, headers, body);
}

function toPage(random: Random): MalformedRequest {
  const target = `${random.pick(PAGES)}${random.chance(0.7) ? `?pt=${encodeURI(String(random.pick(QUERIES)))}` : `/${random.pick(SEGMENTS)}`}`;
  const method = random.pick(['GET', 'POST', 'HEAD']);
  const headers = ['Content-Type: application/x-www-form-urlencoded'];
  if (random.chance(0.3)) headers.push(random.pick(HEADERS));
  return httpRequest(method, target, headers, method === 'POST' ? random.pick(QUERIES) : '');
}

function pathOf(random: Random, { path }: Route): string {
  return path.replaceAll(/\{\w+\}/g, () => (random.chance(0.7) ? random.pick(SEGMENTS) : 'a.com'));
}

function bodyOf(random: Random, { fields }: Route): string | Uint8Array {
  if (fields.length === 0 || random.chance(0.5)) return random.pick(JSON_TEXTS);
  const chosen = Array.from({ length: random.int(1, 4) }, () => [
    random.pick(fields),
    random.pick(VALUES),
  ]);
  return JSON.stringify(Object.fromEntries(chosen));
}

/** Some errors are detected only after the signature check. */
function signature(
  url: string,
  method: string,
  target: string,
  body: string | Uint8Array,
): string[] {
  const partner = new Partner(url);
  let signed: Record<string, string>;
  try {
    signed = partner.signRaw(method, target, body);
  } catch {
    // A request without a canonical form has no signature.
    signed = partner.signRaw(method, target.split('?', 1)[0] ?? '', body);
  }
  return Object.entries(signed)
    .filter(([name]) => name.startsWith('X-'))
    .map(([name, value]) => `${name}: ${value}`);
}

function httpRequest(
  method: string,
  target: string,
  headers: readonly string[],
  body: string | Uint8Array,
): MalformedRequest {
  const bytes = Buffer.from(body);
  const own = headers.some((line) => /content-length|transfer-encoding/i.test(line));
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(headers.some((line) => line.startsWith('Host')) ? [] : ['Host: localhost']),
    'Connection: close',
    ...(own || bytes.length === 0 ? [] : [`Content-Length: ${bytes.length}`]),
    ...headers,
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return { bytes: Buffer.concat([head, bytes]), method, target };
}
