import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HarSyntaxError, parseHar } from '../../src/cli/parsers/har.ts';
import { signedHeaders } from '../../src/signing/signature.ts';
import { anyText } from '../support/any-text.ts';
import { stateFolder } from '../support/state-folder.ts';
import { commandLine } from './command-line.ts';

const KEY = { key_id: 'dmk_sandbox_local', secret: 'dms_sandbox_local_not_a_secret' };
const ORDERS = '/api/partner/v1/orders';
const QUOTES = '/api/partner/v1/quotes';

interface Recorded {
  method?: string;
  target?: string;
  /** What was signed. */
  body?: string;
  /** How the tool writes it down. */
  written?: object;
  headers?: Record<string, string>;
}

/** An entry as tools write them. */
function entry({ method = 'GET', target = ORDERS, body, written = {}, headers }: Recorded = {}) {
  const timestamp = Math.floor(Date.now() / 1_000);
  const signed = signedHeaders(KEY, { method, target, body, timestamp, nonce: 'n1' });
  return {
    startedDateTime: '2026-01-05T09:00:00.000Z',
    request: {
      method,
      url: `https://partner.example${target}`,
      httpVersion: 'HTTP/2',
      headers: [
        { name: ':method', value: method },
        ...Object.entries(headers ?? signed).map(([name, value]) => ({
          name: name.toLowerCase(),
          value,
        })),
      ],
      queryString: [],
      ...(body !== undefined && {
        bodySize: Buffer.byteLength(body),
        postData: { mimeType: 'application/json', text: body },
      }),
      ...written,
    },
    response: { status: 401 },
  };
}

const plain = { request: { method: 'GET', url: 'https://cdn.example/a.js', headers: [] } };
const harOf = (...entries: unknown[]) => JSON.stringify({ log: { version: '1.2', entries } });

async function verify(text: string, more = '') {
  const cwd = stateFolder();
  fs.writeFileSync(path.join(cwd, 'a.har'), text);
  return commandLine(undefined, { cwd })(`verify --har a.har ${more}`);
}

interface Results {
  entries: { entry: number; valid: boolean; problems: { code: string }[]; warnings: string[] }[];
}

test('every signed entry is verified, and the others are skipped', async () => {
  const body = '{"domain":"a.com","note":"é"}';
  const right = entry({ method: 'POST', target: QUOTES, body });
  const changed = entry({
    method: 'POST',
    target: QUOTES,
    body,
    written: { postData: { text: '{"domain": "a.com", "note": "é"}' }, bodySize: -1 },
  });
  const query = entry({ target: `${ORDERS}?status=SETTLED&a='b'` });
  const { code, stdout, stderr } = await verify(harOf(plain, right, plain, changed, query));
  expect(code).toBe(1);
  expect(stdout).toContain(`entry 2: POST ${QUOTES}\n✓ the signature is valid`);
  expect(stdout).toContain(
    `entry 4: POST ${QUOTES}\n✗ The hashed body and the body sent are different spellings`,
  );
  expect(stdout).toContain(`entry 5: GET ${ORDERS}?status=SETTLED&a='b'\n✓`);
  expect(stderr).toContain('1 of 3 signed requests is invalid: 4');
});

test('one entry can be chosen, signed or not', async () => {
  const text = harOf(plain, entry());
  expect((await verify(text, '--entry 2')).code).toBe(0);
  const unsigned = await verify(text, '--entry 1 --json');
  expect(unsigned.code).toBe(1);
  expect(unsigned.json<Results>().entries).toMatchObject([
    { entry: 1, valid: false, problems: [{ code: 'missing_credentials' }, {}, {}, {}] },
  ]);
});

describe('a body that differs in the file', () => {
  const body = '{"domain":"a.com"}';
  const post = (written: object) => entry({ method: 'POST', target: QUOTES, body, written });

  test.each([
    ['a missing body', { postData: undefined }, 'Its body of 18 bytes is missing in the file.'],
    [
      'a body as form fields',
      { postData: { params: [] } },
      'Its body of 18 bytes is missing in the file.',
    ],
    [
      'a truncated body',
      { postData: { text: '{"dom' } },
      'Its body has 5 bytes in the file, but 18 were sent',
    ],
    [
      'a body that is not UTF-8',
      { postData: { text: '{"\ufffd"}' }, bodySize: -1 },
      'Its body is not UTF-8',
    ],
  ])('%s is reported, without a result for the signature', async (_how, written, expected) => {
    const { code, stdout } = await verify(harOf(post(written)));
    expect(code).toBe(1);
    expect(stdout).toContain(expected);
    expect(stdout).not.toMatch(/does not match|✓|signed as/);
  });

  test('is not valid if an empty body was signed', async () => {
    const empty = entry({ method: 'POST', target: QUOTES, written: { bodySize: 18 } });
    const { code, stdout } = await verify(harOf(empty));
    expect([code, stdout.includes('✓')]).toEqual([1, false]);
  });

  test('does not matter if the signature matches, or with GET', async () => {
    const base64 = { text: Buffer.from(body).toString('base64'), encoding: 'base64' };
    const fine = [
      post({ bodySize: 99 }),
      post({ postData: base64 }),
      post({ bodySize: -1 }),
      entry({ written: { bodySize: 40 } }),
    ];
    const { code, stdout } = await verify(harOf(...fine));
    expect(stdout.match(/✓/g)).toHaveLength(4);
    expect(code).toBe(0);
  });
});

test('the secret of another key can be passed', async () => {
  const other = signedHeaders(
    { key_id: 'k', secret: 's' },
    { method: 'GET', target: ORDERS, body: undefined, timestamp: 1, nonce: 'n' },
  );
  const text = harOf(entry({ headers: { ...other } }));
  expect((await verify(text, '--secret s')).code).toBe(0);
  expect((await verify(text, '--secret t')).code).toBe(1);
});

test('wrong usage names the fault', async () => {
  for (const [text, more, expected] of [
    ['{', '', '--har: it is not JSON'],
    ['[]', '', '--har: expected an object with log.entries'],
    ['{"log":{}}', '', '--har: expected an object with log.entries'],
    [harOf(), '', 'none of its 0 entries has a signing header'],
    [harOf(plain), '', 'exported without headers'],
    [harOf(plain), '--entry 2', 'entry 2 does not exist; the file has 1'],
    [harOf(plain), '--entry 0', '--entry'],
    [harOf({ request: { headers: [{ name: 'X-Service-Nonce' }] } }), '', 'entry 1: request.method'],
    [harOf(5), '--entry 1', 'entry 1: '],
    [harOf(entry()), '--nonce n', '--nonce: the HAR file has it'],
    [harOf(entry()), "--curl 'curl x'", '--curl and --har: pass one of them, not both'],
  ] as const) {
    const { code, stderr } = await verify(text, more);
    expect(stderr, text).toContain(expected);
    expect(code, text).toBe(2);
  }
  const alone = await commandLine()('verify --entry 1 --method GET');
  expect([alone.code, alone.stderr.includes('--entry: requires --har')]).toEqual([2, true]);
  const none = await commandLine()('verify --har no-such.har');
  expect([none.code, none.stderr.includes('file not found')]).toEqual([2, true]);
});

describe('the reader', () => {
  const header = fc.record(
    {
      name: fc.oneof(fc.constantFrom('X-Service-Nonce', 'x-service-key-id'), fc.string()),
      value: fc.oneof(anyText(), fc.jsonValue()),
    },
    { requiredKeys: [] },
  );
  const anything = fc.oneof(fc.jsonValue(), anyText());
  const request = fc.record(
    {
      method: anything,
      url: anything,
      headers: fc.oneof(fc.array(header), fc.jsonValue()),
      bodySize: anything,
      postData: fc.oneof(
        fc.record({ text: anything, encoding: fc.constantFrom('base64', 'x', null) }),
        fc.jsonValue(),
      ),
    },
    { requiredKeys: [] },
  );
  const har = fc.record({
    log: fc.oneof(
      fc.record({ entries: fc.array(fc.oneof(fc.record({ request }), fc.jsonValue())) }),
      fc.jsonValue(),
    ),
  });
  const texts = fc.oneof(
    anyText(),
    fc.json(),
    har.map((value) => JSON.stringify(value)),
  );

  test('accepts or rejects any text, with a reason', () => {
    fc.assert(
      fc.property(texts, fc.option(fc.integer({ min: 1, max: 4 })), (text, chosen) => {
        try {
          for (const one of parseHar(text, chosen ?? undefined)) {
            expect(one.path.startsWith('/')).toBe(true);
            expect(one.entry).toBeGreaterThan(0);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(HarSyntaxError);
          expect((error as Error).message).toMatch(/\S/);
        }
      }),
    );
  });

  test('gives method, target, headers and body back as they were written', () => {
    const part = fc.string({ unit: fc.constantFrom('%20', ..."aZ0-._~+!'()*&=/?é[") });
    fc.assert(
      fc.property(part, part, fc.string({ unit: 'grapheme' }), (one, two, body) => {
        const target = `/${one.replaceAll('?', '')}?${two}`;
        const text = harOf(entry({ method: 'PUT', target, body: body.toWellFormed() }));
        const [found] = parseHar(`\ufeff${text}`);
        expect(found).toMatchObject({ method: 'PUT', path: target.split('?')[0], query: two });
        expect(found?.body.toString()).toBe(body.toWellFormed());
        expect(found?.headers.get('x-service-nonce')).toBe('n1');
      }),
    );
  });
});
