import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalQuery, splitTarget } from '../../src/signing/canonical.ts';
import { type DiagnosisInput, diagnose } from '../../src/signing/diagnosis.ts';
import { MISTAKES } from '../../src/signing/mistakes.ts';
import { jsonSpellings } from '../../src/signing/spellings.ts';
import { anyText } from '../support/any-text.ts';

const TAIL = '00112233445566778899aabbccddeeff';
const SECRET = `dms_sandbox_${TAIL}`;
const OTHER = { keyId: 'dmk_other', secret: 'dms_sandbox_other' };
const TIMESTAMP = '1767225601';
const NONCE = '0a1b2c3d-0000-4000-8000-000000000001';
const PATH = '/api/partner/v1/domains/m%C3%BCnchen.de';
const QUERY = "q=it's%20(big)!*&b=2&b=10&a=x%2Fy";
const BODY = '{"url":"https://shop.example/ü<","b":[1,2],"a":null}';

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

const SHUFFLED = v1([3, 4, 0, 1, 2, 5].map((at) => linesOf(POST)[at]).join('\n'));

type Case = [mistake: string, client: Client, signature: string];

/** Cases of a client that signs another text as one of its lines. */
const line = (mistake: string, client: Client, at: number, ...texts: string[]) =>
  texts.map((text): Case => [mistake, client, v1(withLine(client, at, text))]);

/** Cases of a client that uses another key. */
const key = (mistake: string, ...keys: (string | Buffer)[]) =>
  keys.map((key): Case => [mistake, POST, v1(linesOf(POST).join('\n'), key)]);

const hashed = (body: string) => v1(withLine(POST, 5, sha256(body)));
const withPlus = canonicalQuery(QUERY).replaceAll('%20', '+');
const digest = (encoding: 'hex' | 'base64' | 'base64url') =>
  hmac(SECRET, linesOf(POST).join('\n')).digest(encoding);
/** Python's json.dumps with sort_keys. */
const SORTED = '{"a": null, "b": [1, 2], "url": "https://shop.example/\\u00fc<"}';

/** What mistaken clients send, as they would compute it. */
const CASES: Case[] = [
  ...line('method_lower_case', GET, 0, 'get'),
  ['trailing_newline', GET, v1(`${linesOf(GET).join('\n')}\n`)],
  ['lines_joined_by_crlf', POST, v1(linesOf(POST).join('\r\n'))],
  ['lines_joined_by_crlf', POST, v1(`${linesOf(POST).join('\r\n')}\r\n`)],
  ...['', '/v1', '/partner/v1'].flatMap((prefix) =>
    line('path_without_prefix', GET, 1, `${prefix}/domains/m%C3%BCnchen.de`),
  ),
  ...[QUERY, canonicalQuery(QUERY)].flatMap((appended) =>
    [[], [''], [QUERY], [canonicalQuery(QUERY)]].map((query): Case => {
      const lines = linesOf(GET).toSpliced(1, 2, `${PATH}?${appended}`, ...query);
      return ['path_with_query', GET, v1(lines.join('\n'))];
    }),
  ),
  ...line('query_left_out', GET, 2, ''),
  ...line('query_left_out', { ...GET, query: `q=${'x'.repeat(4_094)}` }, 2, ''),
  ['query_left_out', { ...GET, method: 'get', body: BODY }, v1(withLine(GET, 2, ''))],
  ...line('query_raw', GET, 2, QUERY, `?${QUERY}`),
  ...line('query_unsorted', GET, 2, 'q=it%27s%20%28big%29%21%2A&b=2&b=10&a=x%2Fy'),
  ...line('query_marks_unencoded', GET, 2, "q=it's%20%28big%29%21%2A&b=2&b=10&a=x%2Fy"),
  ...[/%27/, /%28/, /%29/, /%21/, /%2A/, /%2[1789A]/g].flatMap((mark) =>
    line('query_marks_unencoded', GET, 2, canonicalQuery(QUERY).replace(mark, decodeURIComponent)),
  ),
  ...line('query_marks_unencoded', { ...GET, query: 'q=caf%C3%A9%20b' }, 2, 'q=café b'),
  // As URLSearchParams, and as encodeURIComponent leaves marks.
  ...line('query_space_as_plus', GET, 2, withPlus, withPlus.replace('%2A', '*')),
  ...line('query_space_as_plus', GET, 2, "a=x%2Fy&b=10&b=2&q=it's+(big)!*"),
  ...line('query_space_as_plus', { ...GET, query: 'q=a+b' }, 2, 'q=a%20b'),
  ...line('body_hash_left_empty', POST, 5, ''),
  ...line('body_hash_left_empty', { ...POST, body: 'x'.repeat(32_768) }, 5, ''),
  ...line('empty_body_as_braces', EMPTY_POST, 5, sha256('{}')),
  ...line('empty_body_as_quotes', EMPTY_POST, 5, sha256('""')),
  ...line('body_ignored', POST, 5, sha256('')),
  ...[
    // `echo`, and a file of which `curl -d @FILE` leaves out the line breaks.
    `${BODY}\n`,
    ...[2, 4].map((indent) => `${JSON.stringify(JSON.parse(BODY), null, indent)}\n`),
    JSON.stringify(JSON.parse(BODY), null, 2),
    JSON.stringify(JSON.parse(BODY), null, '\t'),
    // Python's json.dumps, with and without sort_keys.
    '{"url": "https://shop.example/\\u00fc<", "b": [1, 2], "a": null}',
    SORTED,
    // PHP's json_encode, also with JSON_UNESCAPED_UNICODE.
    '{"url":"https:\\/\\/shop.example\\/\\u00fc<","b":[1,2],"a":null}',
    '{"url":"https:\\/\\/shop.example\\/ü<","b":[1,2],"a":null}',
    // Go's json.Marshal.
    '{"url":"https://shop.example/ü\\u003c","b":[1,2],"a":null}',
  ].map((text): Case => ['body_re_serialized', POST, hashed(text)]),
  ...line('body_re_serialized', { ...POST, body: '{"a": 1.0}' }, 5, sha256('{"a":1.0}')),
  ...line('body_re_serialized', { ...POST, body: '["\\u0000", 1]' }, 5, sha256('["\\u0000",1]')),
  ...[[0], [1], [2], [3], [4], [5], [2, 5], [0, 3, 4]].map((missing): Case => {
    const lines = linesOf(GET).filter((_, at) => !missing.includes(at));
    return ['line_missing', GET, v1(lines.join('\n'))];
  }),
  ...['000', '437', '999'].flatMap((ms) => line('timestamp_milliseconds', GET, 3, TIMESTAMP + ms)),
  ['lines_in_another_order', POST, SHUFFLED],
  ...['\n', '\r', '\r\n', ' '].flatMap((end) => key('secret_with_white_space', SECRET + end)),
  ...key('secret_with_white_space', ` ${SECRET}`),
  ...key('secret_empty', ''),
  ...key('secret_decoded_as_hex', Buffer.from(TAIL, 'hex')),
  ...[SECRET, SECRET.replaceAll('_', ''), TAIL].flatMap((text) =>
    key('secret_decoded_as_base64', Buffer.from(text, 'base64')),
  ),
  ...key('secret_of_other_credential', OTHER.secret),
  ['v1_missing', POST, digest('hex')],
  ...[digest('base64'), digest('base64url')].flatMap((text) =>
    ['', '='].map((end): Case => ['signature_base64', POST, `v1=${text.replace('=', '')}${end}`]),
  ),
  ['signature_upper_case_hex', POST, `v1=${digest('hex').toUpperCase()}`],
];

describe('a client with one mistake', () => {
  test.each(CASES)('%s is named alone', (mistake, client, signature) => {
    const diagnosis = diagnose(inputOf(client, signature));
    expect(diagnosis).toMatchObject({ mistake, also: [] });
    expect(diagnosis?.summary).not.toMatch(`${SECRET}|undefined`);
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

  test.each<[variant: string, client: Client, signature: string]>([
    ['same JSON (indented by 4)', POST, hashed(JSON.stringify(JSON.parse(BODY), null, 4))],
    ['(with a space after , and :, keys sorted, \\uXXXX escapes)', POST, hashed(SORTED)],
    ['(!)', GET, v1(withLine(GET, 2, canonicalQuery(QUERY).replace('%21', '!')))],
    ['(NONCE)', GET, v1(linesOf(GET).toSpliced(4, 1).join('\n'))],
    ['(TIMESTAMP, NONCE, METHOD, PATH, QUERY_STRING, BODY_SHA256_HEX)', POST, SHUFFLED],
  ])('is told which variant of the mistake it made: %s', (variant, client, signature) => {
    expect(diagnose(inputOf(client, signature))?.summary).toContain(` ${variant}.`);
  });
});

test('a wrong string, a wrong secret and a wrong form together are all named', () => {
  const signature = hmac(OTHER.secret, withLine(GET, 2, QUERY)).digest('base64');
  expect(diagnose(inputOf(GET, signature))).toMatchObject({
    mistake: 'secret_of_other_credential',
    also: ['query_raw', 'signature_base64', 'v1_missing'],
    summary:
      'The request was signed with the secret of another credential (that of dmk_other). The query was signed as it is in the URL. The signature was sent in base64. The signature was sent without v1= in front.',
    fix: expect.stringMatching(
      /X-Service-Key-Id\. Split .* rules\. Write .* hex\. Send .* digest\.$/,
    ),
  });
  expect(diagnose(inputOf(POST, digest('hex').toUpperCase()))).toMatchObject({
    mistake: 'signature_upper_case_hex',
    also: ['v1_missing'],
  });
});

const LONG_BODY: Client = { ...POST, body: 'x'.repeat(32_769) };
const LONG_QUERY: Client = { ...GET, query: `q=${'x'.repeat(4_095)}` };
const GET_WITH_BODY: Client = { ...GET, body: '{}' };

test.each([
  ['the signature is right', GET, v1(linesOf(GET).join('\n'))],
  ['the digest is of something else', GET, v1('something else')],
  ['the header is not a digest', GET, 'v1=not-a-digest'],
  ['upper and lower case are mixed', POST, `v1=${digest('hex').replace('a', 'A')}`],
  ['the query is malformed', { ...GET, query: 'q=%zz' }, v1('x')],
  ['a body was hashed as {}', POST, hashed('{}')],
  ['the body of a GET was hashed', GET_WITH_BODY, v1(withLine(GET_WITH_BODY, 5, sha256('{}')))],
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
