import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canonicalQuery,
  encodeStrict,
  MalformedQueryError,
  parseQuery,
  splitTarget,
} from '../../src/signing/canonical.ts';
import { anyText } from '../support/any-text.ts';

/** Any text that UTF-8 can hold, with the characters that matter more often than chance has them. */
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'aAz0-_.~!\'()*+ &=%/:?#[]@$,;"<>\\^`{|}\0\n\u007f'),
    fc.constantFrom(
      'é',
      'ß',
      'e\u0301',
      '\ud7ff',
      '\ue000',
      '\uffff',
      '\ufeff',
      '💡',
      '\u{10ffff}',
    ),
    anyText({ minLength: 1, maxLength: 1 }),
  ),
  maxLength: 8,
});
const pairs = fc.array(fc.tuple(text, text), { maxLength: 8 });

/** How a byte that may stand unescaped in a query is written by one client or another. */
const habits = fc.infiniteStream(fc.constantFrom('plain', 'upper', 'lower'));

describe('the canonical query', () => {
  test('is that of an implementation on bytes, however the query is escaped', () => {
    fc.assert(
      fc.property(pairs, habits, (list, habit) => {
        expect(canonicalQuery(sentAs(list, habit))).toBe(reference(list));
      }),
    );
  });

  test('is built of the pairs of the query, which are read in their order', () => {
    fc.assert(
      fc.property(pairs, habits, (list, habit) => {
        expect(parseQuery(sentAs(list, habit))).toEqual(list);
      }),
    );
  });

  test('of any text is either built or rejected as malformed, as in the reference', () => {
    const raw = fc.string({ unit: fc.constantFrom(...'%%%&=+aAfFcC80923é💡'), maxLength: 14 });
    fc.assert(
      fc.property(raw, (query) => {
        const list = query.split('&').filter(Boolean).map(decodedPair);
        const bad = list.flat().includes(undefined);
        if (bad) expect(() => canonicalQuery(query)).toThrow(MalformedQueryError);
        else expect(canonicalQuery(query)).toBe(reference(list as [string, string][]));
      }),
      { numRuns: 200 },
    );
  });

  test('names the malformed part', () => {
    expect(() => canonicalQuery('a=1&b=%zz')).toThrow(
      'the query has a malformed percent escape in "%zz"',
    );
  });

  test('of text that UTF-8 cannot encode uses the replacement character', () => {
    expect(canonicalQuery('a=\ud800')).toBe('a=%EF%BF%BD');
    expect(encodeStrict('\udc00!')).toBe('%EF%BF%BD%21');
  });
});

describe('splitTarget', () => {
  test('divides at the first question mark, and only there', () => {
    const path = fc.string().filter((candidate) => !candidate.includes('?'));
    fc.assert(
      fc.property(path, fc.string(), (before, after) => {
        expect(splitTarget(`${before}?${after}`)).toEqual({ path: before, query: after });
        expect(splitTarget(before)).toEqual({ path: before, query: '' });
      }),
    );
  });
});

/** The specification on bytes: sort the pairs by their UTF-8, escape all but the unreserved bytes. */
function reference(list: readonly (readonly [string, string])[]): string {
  const bytes = list.map(([key, value]) => [Buffer.from(key), Buffer.from(value)] as const);
  bytes.sort((a, b) => Buffer.compare(a[0], b[0]) || Buffer.compare(a[1], b[1]));
  return bytes.map(([key, value]) => `${escaped(key)}=${escaped(value)}`).join('&');
}

function escaped(bytes: Uint8Array): string {
  return [...bytes].map((byte) => (isUnreserved(byte) ? plain(byte) : triplet(byte))).join('');
}

/** A query as clients send it: each byte escaped or not, in upper or lower case, where it may be. */
function sentAs(list: readonly (readonly [string, string])[], habit: Iterator<string>): string {
  return list
    .map((pair) =>
      pair.map((part) => [...Buffer.from(part)].map((byte) => sentByte(byte, habit)).join('')),
    )
    .map(([key, value]) => `${key}=${value}`)
    .join('&');
}

function sentByte(byte: number, habit: Iterator<string>): string {
  const how = habit.next().value;
  const mayStand = isUnreserved(byte) || "!'()*+/:?@$,;[]".includes(plain(byte));
  if (how === 'plain' && mayStand) return plain(byte);
  return how === 'lower' ? triplet(byte).toLowerCase() : triplet(byte);
}

function decodedPair(segment: string): [string | undefined, string | undefined] {
  const mark = segment.indexOf('=');
  if (mark < 0) return [decoded(segment), ''];
  return [decoded(segment.slice(0, mark)), decoded(segment.slice(mark + 1))];
}

function decoded(part: string): string | undefined {
  if (/%(?![0-9a-f]{2})/i.test(part)) return undefined;
  const latin1 = Buffer.from(part).toString('latin1');
  const unescaped = latin1.replace(/%(..)/g, (_, hex: string) => plain(Number.parseInt(hex, 16)));
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(Buffer.from(unescaped, 'latin1'));
  } catch {
    return undefined;
  }
}

function isUnreserved(byte: number): boolean {
  return byte < 128 && /[A-Za-z0-9\-_.~]/.test(plain(byte));
}

function plain(byte: number): string {
  return String.fromCharCode(byte);
}

function triplet(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}
