import fc from 'fast-check';
import { signPartnerRequest } from '../../src/client/partner-client.ts';
import { DEFAULT_KEY } from './partner.ts';

/** A malformed request to an API or a page. */
export interface MalformedRequest {
  bytes: Buffer;
  method: string;
  target: string;
}

/** A route with a body that is nearly right. */
export interface Route {
  method: string;
  path: string;
  body: Record<string, unknown> | undefined;
}

/** Routes that stop the server, or whose response takes its time on purpose. */
const LEFT_OUT = /\/(?:stop|stream|wait|idle)$/;
const PAGES: Route[] = ['/checkout', '/r/{code}', '/brokerage/{token}', '/_sandbox/', '/'].flatMap(
  (path) => ['GET', 'POST', 'HEAD'].map((method) => ({ method, path, body: undefined })),
);

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
}

interface Operation {
  requestBody?: {
    content: Record<
      string,
      { schema: Schema; examples?: Record<string, { value?: Record<string, unknown> }> }
    >;
  };
}

/** Returns the routes of an OpenAPI document. */
export function routesOf(document: unknown): Route[] {
  const { paths, servers } = document as {
    paths: Record<string, Record<string, Operation>>;
    servers: [{ url: string }];
  };
  const base = new URL(servers[0].url, 'http://localhost').pathname.replace(/\/$/, '');
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => /^(?:get|post|put|patch|delete)$/.test(method) && !LEFT_OUT.test(path))
      .map(([method, { requestBody }]) => {
        const { schema = {}, examples = {} } = requestBody?.content['application/json'] ?? {};
        const [example] = Object.values(examples);
        const body = requestBody && (example?.value ?? sampleOf(schema));
        return { method: method.toUpperCase(), path: base + path, body };
      }),
  );
}

/** Makes an object with every field of a schema. */
function sampleOf({ properties = {} }: Schema): Record<string, unknown> {
  const fields = Object.entries(properties).map(([name, field]) => {
    const [first] = field.enum ?? [];
    const isNumber = /number|integer/.test(String(field.type));
    return [name, first ?? (field.properties ? sampleOf(field) : isNumber ? 1 : 'a.com')];
  });
  return Object.fromEntries(fields);
}

const text = fc.string({ unit: 'binary', maxLength: 40 });
const value = fc.oneof(
  fc.anything({ withNullPrototype: true }),
  text,
  fc.constantFrom('x'.repeat(5_000), '\ud800', '2026-02-30', 'http://[', '../../etc/passwd', 1e21),
);
const segment = fc.oneof(
  text.map((raw) => encodeURIComponent(raw.toWellFormed())),
  fc.constant('a.com'),
  fc.constantFrom('%00', '%2e%2e', '..', '%2F', '%ff', 'x'.repeat(3_000), ' '),
);
const query = fc.oneof(
  fc.constantFrom(
    '%',
    '%zz=1',
    '%ff',
    '%00=%00',
    'q=%ED%A0%80',
    '&'.repeat(300),
    '=',
    '+',
    "!'()*=~",
  ),
  fc.constantFrom(
    'limit=-1',
    'limit=1e9',
    'cursor=abc.def',
    'world=..',
    'world=default&world=default',
  ),
  fc.webQueryParameters(),
);
const brokenJson = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.json().map((json) => json.slice(0, -1)),
  fc.constantFrom(
    'null',
    '[]',
    '\uFEFF{}',
    '{"a":1}{"b":2}',
    'NaN',
    '['.repeat(5_000),
    '{"a":'.repeat(3_000),
    '{"domain":"a.com","domain":"b.com"}',
    '{"__proto__":{"x":1}}',
    '{"expected_price":1e400}',
  ),
);
const METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'get', 'G E T', ''];
const HEADERS = [
  'no colon',
  ': empty',
  'X\u0000: a',
  'X : a',
  'X: \u0007',
  `X-Long: ${'y'.repeat(20_000)}`,
  ' folded: x',
  'Content-Length: -1',
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
  'Content-Type: text/plain\r\nContent-Type: application/json',
  'Idempotency-Key: a\r\nIdempotency-Key: b',
  'Content-Encoding: gzip',
  'X-Service-Key-Id: \u00ff',
  'X-Service-Timestamp: 1e10',
  'X-Service-Signature: v1=zz',
  'Origin: null',
  'Sec-Fetch-Site: cross-site',
  `Accept: */*\r\n${'X-Many: 1\r\n'.repeat(150)}X-Last: 1`,
];
/** Requests that are wrong as a whole. */
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

/** Generates malformed requests, signed where that is possible: some errors are detected only after the signature check. */
export function malformedRequests(
  url: string,
  routes: readonly Route[],
): fc.Arbitrary<MalformedRequest> {
  const request = fc
    .record({
      route: fc.constantFrom(...routes, ...PAGES),
      segment,
      query: oneIn(3, query),
      method: oneIn(10, fc.constantFrom(...METHODS)),
      header: oneIn(5, fc.constantFrom(...HEADERS)),
      isUnsigned: oneIn(5, fc.constant(true)),
    })
    .chain(({ route, method, header, isUnsigned, ...parts }) => {
      const path = route.path.replaceAll(/\{\w+\}/g, () => parts.segment);
      const target = path + (parts.query === undefined ? '' : `?${parts.query}`);
      return bodyOf(route).map((body) => {
        const headers = header === undefined ? [] : [header];
        if (PAGES.includes(route)) headers.push('Content-Type: application/x-www-form-urlencoded');
        if (!isUnsigned) headers.push(...signature(url, method ?? route.method, target, body));
        return httpRequest(method ?? route.method, target, headers, body);
      });
    });
  const whole = fc.oneof(
    fc.constantFrom(...WHOLE).map((line) => Buffer.from(line, 'latin1')),
    // Line breaks alone are not a request.
    fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from([0, ...bytes])),
  );
  return fc.oneof(
    { weight: 9, arbitrary: request },
    { weight: 1, arbitrary: whole.map((bytes) => ({ bytes, method: '', target: '' })) },
  );
}

function oneIn<T>(count: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof(arbitrary, { weight: count - 1, arbitrary: fc.constant(undefined) });
}

/** A body that is not JSON, or the example with one wrong field. */
function bodyOf({ method, body }: Route): fc.Arbitrary<string | Uint8Array> {
  if (body === undefined) return method === 'POST' ? query : fc.constant('');
  const field = fc.oneof(fc.constantFrom(...Object.keys(body), '__proto__'), text);
  const changed = fc.tuple(field, value).map(([name, wrong]) => toJson({ ...body, [name]: wrong }));
  return fc.oneof(brokenJson, changed);
}

/** Writes what JSON cannot hold as text. */
function toJson(body: object): string {
  return JSON.stringify(body, (_name, each) =>
    typeof each === 'bigint' || typeof each === 'symbol' ? String(each) : each,
  );
}

/** Returns signing headers; none for a request without a canonical form. */
function signature(
  url: string,
  method: string,
  target: string,
  body: string | Uint8Array,
): string[] {
  try {
    const signed = signPartnerRequest(url, DEFAULT_KEY, { method, target, body }, Date.now());
    return Object.entries(signed.headers)
      .filter(([name]) => name.startsWith('X-'))
      .map(([name, value]) => `${name}: ${value}`);
  } catch {
    return [];
  }
}

function httpRequest(
  method: string,
  target: string,
  headers: readonly string[],
  body: string | Uint8Array,
): MalformedRequest {
  const bytes = Buffer.from(body);
  const isGiven = (name: RegExp) => headers.some((line) => name.test(line));
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(isGiven(/^host/i) ? [] : ['Host: localhost']),
    'Connection: close',
    ...(isGiven(/content-length|transfer-encoding/i) ? [] : [`Content-Length: ${bytes.length}`]),
    ...headers,
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return { bytes: Buffer.concat([head, bytes]), method, target };
}
