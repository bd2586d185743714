import fc from 'fast-check';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import { anyText } from '../support/any-text.ts';
import { SPECIFIED_ENDPOINTS } from '../support/endpoints.ts';
import { forge, sendForged } from '../support/forged-request.ts';
import { invalid, rejection } from '../support/responses.ts';
import { sandbox, sandboxOnDisk, sharedSandbox } from '../support/sandbox.ts';
import { digestOf, stateFolder } from '../support/state-folder.ts';
import { overWire } from '../support/wire.ts';

const MEBIBYTE = 1024 * 1024;
const V1 = '/api/partner/v1';

/** Every endpoint that takes a body, with one that it takes. */
const WRITES = SPECIFIED_ENDPOINTS.flatMap(({ method, target, body }) =>
  body ? [{ method, target, body }] : [],
);
type Write = (typeof WRITES)[number];
/** Rejected for the order that it names, so that its body never succeeds. */
const KNOWS_NO_SUCH_ORDER = '/api/partner/v1/refunds';

/** What the queries of all endpoints know. */
const PARAMETERS = [
  'q',
  'domain',
  'status',
  'payment_model',
  'from',
  'to',
  'after_id',
  'cursor',
  'limit',
];

interface Sent {
  body: string | Uint8Array;
  contentType?: string;
}

function send(at: InProcessSandbox, { method, target }: Write, { body, contentType }: Sent) {
  const headers = {
    'Idempotency-Key': crypto.randomUUID(),
    ...(contentType !== undefined && { 'Content-Type': contentType }),
  };
  return sendForged(at, { method, target, body, headers });
}

const rejecting = await sharedSandbox({ rateLimits: false });

describe.each(WRITES)('the body of $method $target', (write) => {
  test('is an object in JSON, said by Content-Type', async () => {
    const right = JSON.stringify(write.body);
    for (const sent of [
      { body: right, contentType: 'text/plain' },
      { body: '{"domain": "held' },
      { body: `[${right}]` },
      { body: Buffer.from(right, 'utf16le') },
    ]) {
      const response = await rejection(await send(rejecting, write, sent));
      expect(response).toMatchObject({ status: 400, code: 'validation_error' });
    }
  });

  test('is rejected if it is nested', async () => {
    const deep = '['.repeat(10_000) + ']'.repeat(10_000);
    for (const name of Object.keys(write.body)) {
      if (name === 'external_payment_ref' || name === 'quote_id') continue;
      const body = JSON.stringify({ ...write.body, [name]: null }).replace(
        `"${name}":null`,
        `"${name}":${deep}`,
      );
      expect(await rejection(await send(rejecting, write, { body }))).toMatchObject(invalid(name));
    }
  });

  test('may hold more than it needs, also __proto__, which means nothing', async () => {
    const at = await sandbox();
    const more = { color: 'blue', '': 1, constructor: 1, toString: null };
    const right = JSON.stringify({ ...more, ...write.body });
    const body = `{"__proto__": {"domain": "x.test", "polluted": true}, ${right.slice(1)}`;
    const taken = write.target === KNOWS_NO_SUCH_ORDER ? 404 : 200;
    const { status } = await send(at, write, { body });
    expect(status === 201 ? 200 : status).toBe(taken);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    const only =
      '{"__proto__": {"domain": "held-order.test", "url": "http://x.test", "secret": "s"}}';
    expect(await rejection(await send(at, write, { body: only }))).toMatchObject({
      code: 'validation_error',
    });
  });
});

// All endpoints read it with the same function.
describe('a body', () => {
  const write: Write = {
    method: 'POST',
    target: `${V1}/quotes`,
    body: { domain: 'held-order.test' },
  };
  const isTaken = ({ status }: Response) => expect(status).toBe(201);
  const right = JSON.stringify(write.body);

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"; v=1',
    'Application/JSON',
    'application/json ; charset=utf-8',
  ])('may be sent as %s', async (contentType) => {
    const at = await sandbox();
    isTaken(await send(at, write, { body: right, contentType }));
  });

  test.each([
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'multipart/form-data; boundary=application/json',
    'text/plain, application/json',
    'charset=utf-8; application/json',
  ])('may not be sent as %j', async (contentType) => {
    const response = await rejection(await send(rejecting, write, { body: right, contentType }));
    expect(response).toMatchObject({ status: 400, code: 'validation_error' });
    expect(response.message).toContain('Content-Type');
  });

  test.each<[string, string | Uint8Array]>([
    ['nothing', ''],
    ['blanks', ' \n'],
    ['half an object', '{"domain": "held'],
    ['a trailing comma', '{"domain": "held-order.test",}'],
    ['a form', 'domain=held-order.test'],
    ['an array', '[{"domain": "held-order.test"}]'],
    ['a text', '"held-order.test"'],
    ['null', 'null'],
    ['a byte order mark', `\uFEFF${right}`],
    ['UTF-16', Buffer.from(right, 'utf16le')],
    ['latin1', Buffer.from('{"domain": "caf\u00e9.com"}', 'latin1')],
    ['a lone continuation byte', new Uint8Array([...Buffer.from(right), 0x80])],
    ['an overlong slash', new Uint8Array([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d])],
    [
      'a surrogate in UTF-8',
      new Uint8Array([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
    ],
    ['ten thousand open brackets', '['.repeat(10_000)],
    ['a hundred thousand open objects', '{"a":'.repeat(100_000)],
  ])('is rejected if it is %s', async (_what, body) => {
    const response = await rejection(await send(rejecting, write, { body }));
    expect(response).toMatchObject({ status: 400, code: 'validation_error' });
    expect(response.message).toMatch(/^body: /);
  });

  test.each([
    ['a number that is none', { n: Number.MAX_VALUE }],
    ['text that is no text', { a: '\u0000\u0001', b: '\ud800' }],
  ])('may hold %s beside what it needs', async (_what, more) => {
    const at = await sandbox();
    const body = JSON.stringify({ ...more, ...write.body });
    isTaken(await send(at, write, { body }));
  });

  test('may be nested deeply in a field that is not read', async () => {
    const at = await sandbox();
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const body = `{"deep": ${deep}, ${right.slice(1)}`;
    isTaken(await send(at, write, { body }));
  });

  test('of 1 MiB is read, of one byte more is not', async () => {
    const at = await sandbox({ port: 0 });
    const fitting = right + ' '.repeat(MEBIBYTE - right.length);
    const headers = { 'Idempotency-Key': 'k' };
    const wire = (body: string) => overWire(at, forge(at.credential, { ...write, headers, body }));
    isTaken(await wire(fitting));
    isTaken(await send(await sandbox(), write, { body: fitting }));
    for (const response of [
      await wire(`${fitting} `),
      await send(at, write, { body: `${fitting} ` }),
    ]) {
      expect(await rejection(response)).toMatchObject({ status: 413, code: 'validation_error' });
    }
  });
});

test('a body that is too large is rejected first, also without Content-Length', async () => {
  const at = await sandbox({ port: 0 });
  const body = Buffer.alloc(30 * MEBIBYTE, 'x');
  const unsigned = { method: 'POST', target: `${V1}/orders`, body };
  const responses = [
    await overWire(at, unsigned),
    await fetch(`${at.url}${V1}/orders`, {
      method: 'POST',
      duplex: 'half',
      body: new Blob([body]).stream(),
    } as RequestInit),
  ];
  for (const response of responses) {
    expect(await rejection(response)).toMatchObject({ status: 413, code: 'validation_error' });
  }
});

test('a client that hangs up in the middle of its body is no unexpected error', async () => {
  const reported: unknown[] = [];
  const shop = await openSandbox({ inventory: 5, report: (error) => reported.push(error) });
  onTestFinished(() => shop.close());
  const broken = new ReadableStream({
    start(body) {
      body.enqueue(Buffer.from('{"domain": '));
      body.error(new Error('aborted'));
    },
  });
  const init = { method: 'POST', body: broken, duplex: 'half' } as RequestInit;
  const response = await shop.app.request(`http://localhost${V1}/quotes`, init);
  expect(await rejection(response)).toMatchObject({ status: 400, code: 'validation_error' });
  expect(reported).toEqual([]);
});

describe('with any input', async () => {
  const dataDir = stateFolder(afterAll);
  const at = await sharedSandbox({ dataDir, rateLimits: false, inventory: 5 });
  // The first look at the settlements opens their period.
  await at.call({ method: 'GET', target: `${V1}/settlements` });
  const text = fc.oneof(
    anyText({ maxLength: 20 }),
    fc.constantFrom(
      '',
      ' ',
      'a.b',
      '*',
      '"',
      "'",
      '0',
      '-1',
      '1e400',
      'null',
      'ord_',
      '\u0000',
      '\ud800',
      '٣',
      '½²',
    ),
  );
  const anything = fc.oneof(
    { depthSize: 'small' },
    text,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.jsonValue({ maxDepth: 2 }),
  );
  /** A right body with members changed, dropped or added. */
  const almost = (body: object) => {
    const [names, values] = [Object.keys(body), Object.values(body)];
    const changed = names.map((_name, n) =>
      fc.oneof(
        { weight: 6, arbitrary: fc.constant(values[n]) },
        { weight: 2, arbitrary: anything },
        { weight: 1, arbitrary: fc.constant(undefined) },
      ),
    );
    return fc
      .tuple(fc.tuple(...changed), fc.dictionary(text, anything, { maxKeys: 2 }))
      .map(([members, more]) =>
        JSON.stringify({
          ...more,
          ...Object.fromEntries(names.map((name, n) => [name, members[n]])),
        }),
      );
  };

  async function expectSound(response: Response): Promise<void> {
    if (response.status < 300) {
      expect(response.headers.get('content-type')).toBe('application/json');
      JSON.parse(await response.text());
      return;
    }
    const { status, code } = await rejection(response);
    expect(status, code).toBeLessThan(500);
  }

  test.each(WRITES)(
    'as the body of $target, it gets a valid response, and a rejection changes nothing',
    async (write) => {
      const body = fc.oneof(
        { weight: 4, arbitrary: almost(write.body) },
        { weight: 1, arbitrary: anything.map((value) => JSON.stringify(value) ?? '') },
        { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
      );
      let before = digestOf(dataDir);
      await fc.assert(
        fc.asyncProperty(body, async (sent) => {
          const response = await send(at, write, { body: sent, contentType: 'application/json' });
          const rejected = !response.ok;
          await expectSound(response);
          const after = digestOf(dataDir);
          if (rejected) expect(after).toBe(before);
          before = after;
        }),
        { numRuns: 10 },
      );
    },
  );

  test('a rejected read of the settlements opens no period', async () => {
    const { dataDir, at } = await sandboxOnDisk();
    const before = digestOf(dataDir);
    for (const query of ['cursor=x', 'limit=0', 'limit=1&limit=1']) {
      const response = await at.call({ method: 'GET', target: `${V1}/settlements?${query}` });
      expect(response.status).toBe(400);
    }
    expect(digestOf(dataDir)).toBe(before);
  });

  const READS = [
    ...new Set(SPECIFIED_ENDPOINTS.flatMap(({ method, path }) => (method === 'GET' ? [path] : []))),
    `${V1}/:any`,
    '/api/partner/:any',
  ];

  test.each(READS)(
    'in the path and query of GET %s, it gets a valid response and changes nothing',
    async (pattern) => {
      const before = digestOf(dataDir);
      const segment = text.filter((value) => value !== '.' && value !== '..');
      const name = fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...PARAMETERS) },
        { weight: 1, arbitrary: text },
      );
      const plausible = fc.constantFrom(
        'held-order.test',
        '25',
        '2026-03-02',
        'SETTLED',
        'shop',
        '%',
      );
      const query = fc.array(fc.tuple(name, fc.oneof(text, plausible)), { maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(segment, query, async (any, pairs) => {
          const encode = (value: string) => encodeURIComponent(value.toWellFormed());
          const path = pattern.replace(/:\w+/, encode(any));
          const search = pairs.map(([key, value]) => `${encode(key)}=${encode(value)}`).join('&');
          const target = search === '' ? path : `${path}?${search}`;
          await expectSound(await at.call({ method: 'GET', target }));
        }),
        { numRuns: 8 },
      );
      expect(digestOf(dataDir)).toBe(before);
    },
  );
});
