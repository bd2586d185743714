import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalQuery, splitTarget } from '../../src/signing/canonical.ts';
import { type DiagnosisInput, diagnose } from '../../src/signing/diagnosis.ts';
import { MISTAKES } from '../../src/signing/mistakes.ts';
import { jsonSpellings } from '../../src/signing/spellings.ts';
import { anyText } from '../support/any-text.ts';

const SECRET = 'dms_sandbox_00112233445566778899aabbccddeeff';
const OTHER = { keyId: 'dmk_other', secret: 'dms_sandbox_other' };
const TIMESTAMP = '1767225601';
const NONCE = '0a1b2c3d-0000-4000-8000-000000000001';
const PATH = '/api/partner/v1/domains/m%C3%BCnchen.de';
const QUERY = "q=it's%20(big)!*&b=2&b=10&a=x%2Fy";
const BODY = '{"url":"https://shop.example/ü","b":[1,2],"a":null}';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text);

/** The request of a client, and the six lines that it should sign. */
interface Client {
  method: string;
  query: string;
  body: string;
}

function linesOf({ method, query, body }: Client): string[] {
  const hash = sha256(method === 'GET' ? '' : body);
  return [method, PATH, canonicalQuery(query), TIMESTAMP, NONCE, hash];
}

function inputOf(client: Client, signature: string): DiagnosisInput {
  return {
    ...client,
    path: PATH,
    timestamp: TIMESTAMP,
    nonce: NONCE,
    body: Buffer.from(client.body),
    signature,
    secret: SECRET,
    otherCredentials: () => [OTHER],
  };
}

const GET: Client = { method: 'GET', query: QUERY, body: '' };
const POST: Client = { method: 'POST', query: '', body: BODY };
const EMPTY_POST: Client = { method: 'POST', query: '', body: '' };

/** Signs the six lines with one replaced. */
function withLine(client: Client, at: number, text: string): string {
  return linesOf(client).with(at, text).join('\n');
}

const v1 = (string: string, key: string | Buffer = SECRET) =>
  `v1=${hmac(key, string).digest('hex')}`;

/** What mistaken clients send, as they would compute it. */
const CASES: [mistake: string, client: Client, signature: string][] = [
  ['method_lower_case', GET, v1(withLine(GET, 0, 'get'))],
  ['trailing_newline', GET, v1(`${linesOf(GET).join('\n')}\n`)],
  ['lines_joined_by_crlf', POST, v1(linesOf(POST).join('\r\n'))],
  ['path_without_prefix', GET, v1(withLine(GET, 1, '/domains/m%C3%BCnchen.de'))],
  ['path_with_query', GET, v1(linesOf(GET).with(1, `${PATH}?${QUERY}`).with(2, '').join('\n'))],
  ['query_left_out', GET, v1(withLine(GET, 2, ''))],
  ['query_raw', GET, v1(withLine(GET, 2, QUERY))],
  ['query_unsorted', GET, v1(withLine(GET, 2, 'q=it%27s%20%28big%29%21%2A&b=2&b=10&a=x%2Fy'))],
  ...["'", '(', ')', '!', '*', "!'()*"].map((marks): [string, Client, string] => {
    const line = [...marks].reduce(
      (query, mark) => query.replace(`%${mark.charCodeAt(0).toString(16).toUpperCase()}`, mark),
      canonicalQuery(QUERY),
    );
    return ['query_marks_unencoded', GET, v1(withLine(GET, 2, line))];
  }),
  ['query_space_as_plus', GET, v1(withLine(GET, 2, canonicalQuery(QUERY).replaceAll('%20', '+')))],
  ['body_hash_left_empty', POST, v1(withLine(POST, 5, ''))],
  ['empty_body_as_braces', EMPTY_POST, v1(withLine(EMPTY_POST, 5, sha256('{}')))],
  ['empty_body_as_quotes', EMPTY_POST, v1(withLine(EMPTY_POST, 5, sha256('""')))],
  ['body_ignored', POST, v1(withLine(POST, 5, sha256('')))],
  ...[
    JSON.stringify(JSON.parse(BODY), null, 2),
    // Python's json.dumps, with and without sort_keys.
    '{"url": "https://shop.example/\\u00fc", "b": [1, 2], "a": null}',
    '{"a": null, "b": [1, 2], "url": "https://shop.example/\\u00fc"}',
    // PHP's json_encode.
    '{"url":"https:\\/\\/shop.example\\/\\u00fc","b":[1,2],"a":null}',
  ].map((text): [string, Client, string] => {
    return ['body_re_serialized', POST, v1(withLine(POST, 5, sha256(text)))];
  }),
  ...[0, 1, 2, 3, 4, 5].map((at): [string, Client, string] => {
    return ['line_missing', GET, v1(linesOf(GET).toSpliced(at, 1).join('\n'))];
  }),
  ['timestamp_milliseconds', GET, v1(withLine(GET, 3, `${TIMESTAMP}437`))],
  [
    'lines_in_another_order',
    POST,
    v1([3, 4, 0, 1, 2, 5].map((at) => linesOf(POST)[at]).join('\n')),
  ],
  ['secret_with_white_space', POST, v1(linesOf(POST).join('\n'), `${SECRET}\n`)],
  [
    'secret_decoded_as_hex',
    POST,
    v1(linesOf(POST).join('\n'), Buffer.from('00112233445566778899aabbccddeeff', 'hex')),
  ],
  ['secret_decoded_as_base64', POST, v1(linesOf(POST).join('\n'), Buffer.from(SECRET, 'base64'))],
  ['secret_of_other_credential', POST, v1(linesOf(POST).join('\n'), OTHER.secret)],
  ['v1_missing', POST, hmac(SECRET, linesOf(POST).join('\n')).digest('hex')],
  ['signature_base64', POST, `v1=${hmac(SECRET, linesOf(POST).join('\n')).digest('base64')}`],
  [
    'signature_upper_case_hex',
    POST,
    `v1=${hmac(SECRET, linesOf(POST).join('\n')).digest('hex').toUpperCase()}`,
  ],
];

describe('a client with one mistake', () => {
  test.each(CASES)('%s is named alone', (mistake, client, signature) => {
    const diagnosis = diagnose(inputOf(client, signature));
    expect(diagnosis).toMatchObject({ mistake, also: [] });
    expect(diagnosis?.summary).not.toContain(SECRET);
  });

  test('every mistake has a case, a stable name, and says what was done and what to do', () => {
    const slugs = MISTAKES.map(({ slug }) => slug);
    expect(new Set(slugs)).toEqual(new Set(CASES.map(([mistake]) => mistake)));
    expect(new Set(slugs).size).toBe(slugs.length);
    for (const { slug, summary, fix } of MISTAKES) {
      expect(slug).toMatch(/^[a-z\d_]+$/);
      expect(summary).toMatch(/^[A-Z].*\.$/);
      expect(fix).toMatch(/^[A-Z].*\.$/);
    }
  });

  test('is shown the string that it signed, if it was wrong', () => {
    const signed = linesOf(POST).join('\r\n');
    expect(diagnose(inputOf(POST, v1(signed)))?.clientCanonical).toBe(signed);
    const right = v1(linesOf(POST).join('\n'), OTHER.secret);
    expect(diagnose(inputOf(POST, right))).not.toHaveProperty('clientCanonical');
  });

  test('is told which variant of the mistake it made', () => {
    const text = JSON.stringify(JSON.parse(BODY), null, 4);
    const diagnosis = diagnose(inputOf(POST, v1(withLine(POST, 5, sha256(text)))));
    expect(diagnosis?.summary).toMatch(/same JSON \(indented by 4\)\.$/);
  });
});

test('a wrong string, a wrong secret and a wrong form together are all named', () => {
  const signature = hmac(OTHER.secret, withLine(GET, 2, QUERY)).digest('base64');
  expect(diagnose(inputOf(GET, signature))).toMatchObject({
    mistake: 'secret_of_other_credential',
    also: ['query_raw', 'signature_base64', 'v1_missing'],
  });
});

const LONG_BODY: Client = { ...POST, body: JSON.stringify({ a: 'x'.repeat(100_000) }) };
const LONG_QUERY: Client = { ...GET, query: `q=${"'".repeat(10_000)}` };

test.each([
  ['the signature is right', GET, v1(linesOf(GET).join('\n'))],
  ['the digest is of something else', GET, v1('something else')],
  ['the header is not a digest', GET, 'v1=not-a-digest'],
  ['upper and lower case are mixed', GET, `v1=${'aB'.repeat(32)}`],
  ['the query is malformed', { ...GET, query: 'q=%zz' }, v1('x')],
  ['a body is too long to be written in other ways', LONG_BODY, v1(withLine(LONG_BODY, 5, ''))],
  ['a query is too long to be written in other ways', LONG_QUERY, v1(withLine(LONG_QUERY, 2, ''))],
])('no mistake is named if %s', (_when, client, signature) => {
  expect(diagnose(inputOf(client, signature))).toBeUndefined();
});

test('JSON of more than 64 levels has no other spellings, which could be many times as long', () => {
  const nested = (depth: number) => [...jsonSpellings('['.repeat(depth) + ']'.repeat(depth))];
  expect(nested(64).length).toBeGreaterThan(0);
  expect(nested(65)).toEqual([]);
  expect([...jsonSpellings(`["${'['.repeat(100)}"]`)].length).toBeGreaterThan(0);
});

test('not all of 100,000 credentials are tried', () => {
  let tried = 0;
  function* credentials() {
    for (; tried < 100_000; tried += 1) yield { keyId: 'k', secret: `s${tried}` };
  }
  diagnose({ ...inputOf(GET, v1('x')), otherCredentials: credentials });
  expect(tried).toBeLessThan(10_000);
});

test('a diagnosis never throws', () => {
  const text = anyText();
  fc.assert(
    fc.property(
      fc.record({
        method: fc.constantFrom('GET', 'POST', 'put', ''),
        target: text,
        timestamp: text,
        nonce: text,
        body: fc.oneof(
          fc.uint8Array(),
          text.map((body) => Buffer.from(body)),
          fc.json().map((body) => Buffer.from(body)),
        ),
        signature: fc.oneof(text, fc.constant(v1('x'))),
        secret: text,
      }),
      ({ target, ...input }) => {
        diagnose({ ...input, ...splitTarget(target) });
      },
    ),
    { numRuns: 100 },
  );
});
