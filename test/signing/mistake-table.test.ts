import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MISTAKES } from '../../src/signing/diagnosis.ts';
import {
  diagnoseSignature,
  diagnosisInput,
  type Expected,
  unordered,
  type Vector,
} from './vector-file.ts';

type WellFormed = Vector & { expected: Expected };
type Mistaken = [mistakes: string[], signature: string, signed: string | undefined];

const generator = (file: string) =>
  import(new URL(`../../scripts/signature-vectors/${file}.mjs`, import.meta.url).href);
/** The mistaken clients and the second implementation of the vector generator, which know nothing of src/. */
const { mistakenSignatures }: { mistakenSignatures: (vector: WellFormed) => Mistaken[] } =
  await generator('mistakes');
const { expectedOf }: { expectedOf: (vector: Vector) => Expected } = await generator('reference');

const HARD_QUERY =
  "q=it's%20(big)!*&tld=io&tld=com&note=&note2&b=2&b=10&B=a+b&a=x%2Fy~z%3A1%3F&a-b=%F0%9F%92%A1&a=%C3%A9&B=1";
/** Its path can be misspelled in every way. */
const PATH = '/api/partner/v1//domains/M%C3%BCnchen.de';
const JSON_BODY = '{"url":"https://shop.example/hooks","secret":"not a secret","b":[1,2],"a":null}';
const UNICODE_BODY =
  '{"name":"Zoë 株式会社 💡","url":"https://shop.example/?a=1&b=<2>","a":"\\u00e9"}';

const REQUESTS: Record<string, { method: string; query?: string; body?: string }> = {
  'GET without a query': { method: 'GET' },
  'GET with a hard query': { method: 'GET', query: HARD_QUERY },
  'GET with a body': { method: 'GET', body: JSON_BODY },
  'POST with JSON': { method: 'POST', body: JSON_BODY },
  'POST without a body': { method: 'POST' },
  'POST with Unicode': { method: 'POST', query: HARD_QUERY, body: UNICODE_BODY },
  'PUT with JSON': { method: 'PUT', body: JSON_BODY },
};

function vectorOf({ method, query, body }: { method: string; query?: string; body?: string }) {
  const vector: Vector = {
    name: '',
    description: '',
    key_id: 'dmk_sandbox_00112233445566778899aabbccddeeff',
    secret: 'dms_sandbox_00112233445566778899aabbccddeeff',
    request: {
      method,
      target: query === undefined ? PATH : `${PATH}?${query}`,
      timestamp: '1767225601',
      nonce: '0a1b2c3d-0000-4000-8000-000000000001',
      ...(body !== undefined && { body }),
    },
  };
  return { ...vector, expected: expectedOf(vector) };
}

/** Mistakes that a request gives no occasion for. */
function impossible({ method, query, body }: { method: string; query?: string; body?: string }) {
  const bodyCounts = body !== undefined && method !== 'GET';
  const ofBody = /^(body_(instead|ignored|re_serialized|stringified|in_other))/;
  return MISTAKES.map(({ slug }) => slug).filter((slug) => {
    if (slug === 'query_line_missing') return false;
    if (slug.startsWith('query_')) return query === undefined;
    if (slug === 'body_of_get_hashed') return method !== 'GET' || body === undefined;
    if (slug === 'only_body_signed') return body === undefined;
    if (slug.startsWith('empty_body_as_')) return bodyCounts;
    return ofBody.test(slug) && !bodyCounts;
  });
}

describe.each(Object.entries(REQUESTS))('%s', (_name, request) => {
  const vector = vectorOf(request);
  const bySignature = Map.groupBy(mistakenSignatures(vector), ([, signature]) => signature);
  bySignature.delete(vector.expected.signature);

  test('gives occasion for every mistake that it can', () => {
    const made = new Set([...bySignature.values()].flat().flatMap(([mistakes]) => mistakes));
    const never = MISTAKES.map(({ slug }) => slug).filter((slug) => !made.has(slug));
    expect(never.toSorted()).toEqual(impossible(request).toSorted());
  });

  test('gets each of them by name, with the string that was signed', () => {
    const mistakes = [...bySignature].map(([signature, group]) => {
      const found = diagnoseSignature(diagnosisInput(vector, signature));
      expect(JSON.stringify(found ?? {})).not.toContain(vector.secret);
      const named = found ? unordered([found.mistake, ...found.also]) : 'nothing';
      const accounts = group.map(([mistakes]) => unordered(mistakes));
      const shown = found?.clientCanonical;
      return accounts.includes(named) && (!shown || group.some(([, , signed]) => signed === shown))
        ? undefined
        : { accounts, named, shown };
    });
    expect(mistakes.filter((each) => each !== undefined)).toEqual([]);
  });
});

describe('any request', () => {
  const text = fc.string({ unit: fc.constantFrom(..."ab1 é💡+!'()*~/:&=%"), maxLength: 5 });
  const pairs = fc.array(fc.tuple(text, text), { maxLength: 4 });
  const requests = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD'),
    query: fc.option(
      pairs.map((all) => all.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')),
      { nil: undefined },
    ),
    body: fc.option(fc.json(), { nil: undefined }),
  });

  test('that is signed right gets no diagnosis', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const vector = vectorOf(definedOf(request));
        const found = diagnoseSignature(diagnosisInput(vector, vector.expected.signature));
        expect(found).toBeUndefined();
      }),
    );
  });

  test('that is signed with garbage gets no diagnosis', () => {
    const digests = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const encodings = fc.constantFrom('hex', 'base64', 'base64url');
    fc.assert(
      fc.property(requests, digests, encodings, (request, digest, encoding) => {
        const vector = vectorOf(definedOf(request));
        const signature = `v1=${Buffer.from(digest).toString(encoding as BufferEncoding)}`;
        expect(diagnoseSignature(diagnosisInput(vector, signature))).toBeUndefined();
      }),
      { numRuns: 8 },
    );
  });

  test('that was signed over another string is shown it, if at all, as it was', () => {
    const mistakes = fc.constantFrom<(lines: string[]) => string>(
      (lines) => lines.join('\r\n'),
      (lines) => `${lines.join('\n')}\n`,
      (lines) => lines.with(2, '').join('\n'),
      (lines) => lines.toSpliced(2, 1).join('\n'),
      (lines) => lines.with(0, lines[0]?.toLowerCase() ?? '').join('\n'),
      (lines) => lines.with(1, `${lines[1]}?${lines[2]}`).join('\n'),
      (lines) => lines.with(2, (lines[2] ?? '').replaceAll('%20', '+')).join('\n'),
      (lines) => lines.with(3, `${lines[3]}123`).join('\n'),
      (lines) => lines.with(5, '').join('\n'),
    );
    fc.assert(
      fc.property(requests, mistakes, (request, mistake) => {
        const vector = vectorOf(definedOf(request));
        const right = vector.expected.canonical_string;
        const signed = mistake(right.split('\n'));
        const digest = createHmac('sha256', vector.secret).update(signed).digest('hex');
        const found = diagnoseSignature(diagnosisInput(vector, `v1=${digest}`));
        if (signed === right) expect(found).toBeUndefined();
        else expect(found?.clientCanonical).toBe(signed);
      }),
    );
  });
});

/** An option that is left out is not there, rather than undefined. */
function definedOf({
  method,
  query,
  body,
}: {
  method: string;
  query?: string | undefined;
  body?: string | undefined;
}) {
  return {
    method,
    ...(query !== undefined && { query }),
    ...(body !== undefined && { body }),
  };
}
