import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalQuery } from '../../src/signing/canonical.ts';
import { attempts } from '../../src/signing/diagnosis/attempts.ts';
import type { OtherCredential } from '../../src/signing/diagnosis/key.ts';
import { digestWork, WORK_BUDGET } from '../../src/signing/diagnosis/mistake.ts';
import { type DiagnosisInput, diagnose, MISTAKES } from '../../src/signing/diagnosis.ts';
import { bodySha256 } from '../../src/signing/signature.ts';
import { anyText } from '../support/any-text.ts';
import { diagnoseSignature, diagnosisInput, vectorNamed, wellFormed } from './vector-file.ts';

const order = vectorNamed('post-order');
const search = vectorNamed('get-rich-query');
const GARBAGE = `v1=${'5a'.repeat(32)}`;

describe('a mistaken client', () => {
  test('is shown the string it signed, from which its signature follows', () => {
    const signed = order.expected.canonical_string.replaceAll('\n', '\r\n');
    const found = diagnoseSignature(diagnosisInput(order, v1(order.secret, signed)));
    expect(found).toEqual({
      mistake: 'lines_joined_by_crlf',
      also: [],
      summary: 'The lines were joined by CRLF.',
      fix: 'Join the six lines with a single newline character (\\n, byte 10).',
      clientCanonical: signed,
    });
  });

  test('is shown no string when the string was right', () => {
    const found = diagnoseSignature(
      diagnosisInput(order, v1(`${order.secret}\n`, order.expected.canonical_string)),
    );
    expect(found).toMatchObject({ mistake: 'secret_with_white_space' });
    expect(found).not.toHaveProperty('clientCanonical');
  });

  test('may be wrong in the string, the secret and the encoding at once', () => {
    const signed = `${order.expected.canonical_string}\n`;
    const digest = createHmac('sha256', `"${order.secret}"`).update(signed).digest('base64');
    const found = diagnoseSignature(diagnosisInput(order, digest));
    expect(found).toMatchObject({
      mistake: 'secret_quoted',
      also: ['trailing_newline', 'signature_base64', 'v1_missing'],
      clientCanonical: signed,
    });
    expect(found?.summary).toBe(
      'The secret was used with quotation marks around it. The canonical string was signed with a newline at its end. The signature was sent in base64. The signature was sent without v1= in front.',
    );
  });

  test('names the variant of the mistake', () => {
    const body = JSON.stringify(JSON.parse(order.request.body ?? ''), null, 4);
    const signed = withLine(order, 5, bodySha256('POST', body));
    const found = diagnoseSignature(diagnosisInput(order, v1(order.secret, signed)));
    expect(found?.mistake).toBe('body_re_serialized');
    expect(found?.summary).toMatch(/\w \(JSON\.stringify, indent 4\)\.$/);
  });

  test('that the summary names in full has no variant', () => {
    const unencoded = "q=don't";
    const request = { ...search.request, target: '/api/partner/v1/domains/search?q=don%27t' };
    const vector = { ...search, request };
    const signature = v1(search.secret, withLine(vector, 2, unencoded));
    expect(diagnoseSignature(diagnosisInput(vector, signature))).toMatchObject({
      mistake: 'query_apostrophe_unencoded',
      summary: "The character ' was left unencoded in the signed query.",
    });
  });

  test('may have signed any millisecond of the header’s second', () => {
    fc.assert(
      fc.property(fc.nat(999), fc.constantFrom(order, search), (ms, vector) => {
        const inMs = vector.request.timestamp + String(ms).padStart(3, '0');
        const signature = v1(vector.secret, withLine(vector, 3, inMs));
        const found = diagnoseSignature(diagnosisInput(vector, signature));
        expect(found).toMatchObject({ mistake: 'timestamp_milliseconds', also: [] });
      }),
      { numRuns: 8 },
    );
  });

  test('may have signed the six lines in any order', () => {
    const lines = order.expected.canonical_string.split('\n');
    fc.assert(
      fc.property(fc.shuffledSubarray(lines, { minLength: 6 }), (shuffled) => {
        const signature = v1(order.secret, shuffled.join('\n'));
        const found = diagnoseSignature(diagnosisInput(order, signature));
        if (shuffled.join() === lines.join()) expect(found).toBeUndefined();
        else
          expect(found?.mistake).toMatch(/^(lines_in_another_order|timestamp_and_nonce_swapped)$/);
      }),
      { numRuns: 8 },
    );
  });
});

describe('nothing is named', () => {
  test('when the signature is right', () => {
    for (const vector of wellFormed) {
      expect(diagnoseSignature(diagnosisInput(vector, vector.expected.signature))).toBeUndefined();
    }
  });

  test('when the signature is a digest of something else', () => {
    const digest = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(digest, fc.constantFrom(order, search), (bytes, vector) => {
        const signature = `v1=${Buffer.from(bytes).toString('hex')}`;
        expect(diagnoseSignature(diagnosisInput(vector, signature))).toBeUndefined();
      }),
      { numRuns: 6 },
    );
  });

  test('when the signature is no digest at all', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 300 }), (signature) => {
        expect(diagnoseSignature(diagnosisInput(order, signature))).toBeUndefined();
      }),
    );
  });

  test('when the digits are right, but in upper and lower case mixed', () => {
    const mixed = order.expected.signature.replace(/[a-f]/, (digit) => digit.toUpperCase());
    expect(diagnoseSignature(diagnosisInput(order, mixed))).toBeUndefined();
  });

  test('when the request was changed on the way by a digit', () => {
    const path = order.request.target.replace('orders', 'order5');
    const input = { ...diagnosisInput(order, order.expected.signature), path };
    expect(diagnoseSignature(input)).toBeUndefined();
  });

  test('when the query is malformed', () => {
    const input = { ...diagnosisInput(search, GARBAGE), query: 'q=%zz' };
    expect(diagnoseSignature(input)).toBeUndefined();
  });
});

describe('the work', () => {
  const manyPairs = Array.from({ length: 500 }, (_, i) => `k${(i * 7) % 500}=a%20b!'()*~`).join(
    '&',
  );
  const many = JSON.stringify(Array.from({ length: 200 }, (_, i) => ({ id: i, name: 'Zoë <a/>' })));
  const hostile: Partial<DiagnosisInput>[] = [
    { query: "q=it's+(big)!*~/:?[]&a&a=&b=2&b=1&%F0%9F%92%A1=1&%EF%BF%BD=1" },
    { query: manyPairs },
    { body: Buffer.alloc(1 << 20, '[') },
    { body: Buffer.from(many) },
    { body: Buffer.from(JSON.stringify(many.repeat(10))) },
    { otherCredentials: others(5_000) },
    { query: `q=${'%21'.repeat(4_700)}` },
    { query: `q=${'%F0%9F%92%A1'.repeat(1_200)}`, otherCredentials: others(5_000) },
    { path: `/${'%21'.repeat(4_700)}` },
    { nonce: 'n'.repeat(128 * 1024) },
  ];

  test.each(hostile)('is bounded, case %#', (part) => {
    const input = { ...diagnosisInput(order, GARBAGE), ...part };
    const right = {
      ...input,
      query: canonicalQuery(input.query),
      bodySha256: bodySha256('POST', input.body),
    };
    const made = [...attempts(input, right)];
    const work = made.reduce((sum, { canonical }) => sum + digestWork(canonical?.length ?? 0), 0);
    expect(work).toBeLessThanOrEqual(WORK_BUDGET);
    expect(diagnoseSignature(input)).toBeUndefined();
  });

  test('that is not done is named, and is the same in every run', () => {
    const query = `q=${'%21'.repeat(4_700)}`;
    const first = diagnose({ ...diagnosisInput(search, GARBAGE), query });
    expect(first).toEqual({
      diagnosis: undefined,
      untried: [
        'spellings of the query',
        'milliseconds in TIMESTAMP',
        'other orders and choices of the lines',
        'two mistakes at once',
      ],
    });
    expect(diagnose({ ...diagnosisInput(search, GARBAGE), query })).toEqual(first);
    expect(diagnose(diagnosisInput(order, GARBAGE)).untried).toEqual([]);
  });

  test('suffices for the likely mistakes in a query of 14 KB', () => {
    const query = `q=${'%21'.repeat(4_700)}`;
    const input = { ...diagnosisInput(search, GARBAGE), query };
    const right = search.expected.canonical_string.split('\n').with(2, query);
    const wrong = (line: number, text: string) =>
      v1(search.secret, right.with(line, text).join('\n'));
    for (const [mistake, signature] of [
      ['trailing_newline', v1(search.secret, `${right.join('\n')}\n`)],
      ['query_left_out', wrong(2, '')],
      ['query_exclamation_mark_unencoded', wrong(2, query.replaceAll('%21', '!'))],
      ['path_with_query', wrong(1, `${right[1]}?${query}`)],
      ['secret_quoted', v1(`"${search.secret}"`, right.join('\n'))],
      ['secret_of_other_credential', v1('secret 99', right.join('\n'))],
    ] as const) {
      const found = diagnoseSignature({ ...input, signature, otherCredentials: others(100) });
      expect(found?.mistake).toBe(mistake);
    }
  });

  test.each([order, search])(
    'suffices for the secrets of 1,000 other credentials, case %#',
    (vector) => {
      const signature = v1('secret 999', vector.expected.canonical_string);
      const input = { ...diagnosisInput(vector, signature), otherCredentials: others(1_000) };
      expect(diagnose(input)).toMatchObject({
        diagnosis: {
          mistake: 'secret_of_other_credential',
          summary:
            'The request was signed with the secret of another credential (that of dmk_999).',
        },
        untried: [],
      });
    },
  );

  test('does not suffice for the secrets of 100,000 credentials, and that is said', () => {
    const signature = v1('secret 99999', order.expected.canonical_string);
    const input = { ...diagnosisInput(order, signature), otherCredentials: others(100_000) };
    const { diagnosis, untried } = diagnose(input);
    expect(diagnosis).toBeUndefined();
    expect(untried).toContain('secrets of other credentials');
  });

  test('tries no string twice with the right secret', () => {
    const input = diagnosisInput(search, GARBAGE);
    const right = {
      ...input,
      query: search.expected.canonical_query,
      bodySha256: search.expected.body_sha256,
    };
    const strings = [...attempts(input, right)]
      .filter(({ slugs }) => !slugs.some((slug) => /secret|hmac|hashed_first/.test(slug)))
      .map(({ canonical }) => canonical);
    expect(new Set(strings).size).toBe(strings.length);
  });

  test('includes other secrets only when likelier mistakes did not fit', () => {
    const asked: string[] = [];
    const otherCredentials = () => {
      asked.push('once');
      return [{ keyId: 'dmk_third', secret: 'dms_sandbox_third_not_a_secret' }];
    };
    const { canonical_string } = order.expected;
    const ask = (signature: string) =>
      diagnoseSignature({ ...diagnosisInput(order, signature), otherCredentials })?.mistake;

    expect(ask(v1(order.secret, `${canonical_string}\n`))).toBe('trailing_newline');
    expect(asked).toEqual([]);
    expect(ask(v1('dms_sandbox_third_not_a_secret', canonical_string))).toBe(
      'secret_of_other_credential',
    );
    expect(asked).toEqual(['once']);
  });
});

describe('hostile input', () => {
  const anything = anyText({ maxLength: 30 });
  const halves = fc.constantFrom('\ud800', '\udc00%', '%ED%A0%80', '%', '', '/', '//', '?', '\0');
  const odd = fc.oneof(anything, halves);
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.json().map((json) => Buffer.from(json)),
    fc
      .constantFrom('{"a":1', '{"a":"\\ud800"}', '[1e999,-0]', '{"__proto__":{"x":1}}', '"\\u0000"')
      .map((raw) => Buffer.from(raw)),
    fc.nat(60_000).map((depth) => Buffer.from('['.repeat(depth) + ']'.repeat(depth))),
  );

  test('never throws', () => {
    const input = fc.record({
      method: fc.oneof(odd, fc.constantFrom('GET', 'POST', 'post')),
      path: odd,
      query: odd,
      timestamp: fc.oneof(odd, fc.constantFrom('1767225600', '9999999999999999', '1e3', '-1', '0')),
      nonce: odd,
      body,
      signature: fc.constantFrom(
        GARBAGE,
        GARBAGE.toUpperCase(),
        'v1=',
        Buffer.alloc(32).toString('base64'),
      ),
      secret: odd,
      keyId: odd,
      baseUrl: odd,
      otherCredentials: fc.array(fc.record({ keyId: odd, secret: odd }), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(input, (one) => {
        expect(diagnoseSignature(one)).toBeUndefined();
      }),
      { numRuns: 15 },
    );
  });

  test('is accepted without the optional fields', () => {
    const {
      keyId: _,
      baseUrl: __,
      otherCredentials: ___,
      ...input
    } = diagnosisInput(order, GARBAGE);
    expect(diagnoseSignature(input)).toBeUndefined();
  });
});

describe('the list of mistakes', () => {
  test('has a stable name, a sentence on what was done and one on what to do for each', () => {
    expect(new Set(MISTAKES.map(({ slug }) => slug)).size).toBe(MISTAKES.length);
    for (const { slug, summary, fix } of MISTAKES) {
      expect(slug).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
      expect(summary).toMatch(/^[A-Z].*\.$/s);
      expect(fix).toMatch(/^[A-Z].*\.$/s);
    }
  });
});

function others(count: number): OtherCredential[] {
  return Array.from({ length: count }, (_, n) => ({ keyId: `dmk_${n}`, secret: `secret ${n}` }));
}

function v1(secret: string, canonical: string): string {
  return `v1=${createHmac('sha256', secret).update(canonical).digest('hex')}`;
}

function withLine(vector: (typeof wellFormed)[number], index: number, line: string): string {
  return vector.expected.canonical_string.split('\n').with(index, line).join('\n');
}
