import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalQuery, encodeStrict, MalformedQueryError } from '../../src/signing/canonical.ts';
import { anyText } from '../support/any-text.ts';
import { canonicalQuery as independent } from './reference.ts';

/** Any text that UTF-8 can hold, with the characters that matter more often than chance has them. */
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'aAz0-_.~!\'()*+ &=%/:?#[]@$,;"<>\\^`{|}\0\n\u007f'),
    fc.constantFrom(...'é ß e\u0301 \ud7ff \ue000 \uffff \ufeff 💡 \u{10ffff}'.split(' ')),
    anyText({ minLength: 1, maxLength: 1 }),
  ),
  maxLength: 8,
});

/** How a byte that may stand unescaped in a query is written by one client or another. */
const habits = fc.infiniteStream(fc.constantFrom('plain', 'upper', 'lower'));
const sent = fc
  .tuple(fc.array(fc.tuple(text, text), { maxLength: 8 }), habits)
  .map(([pairs, habit]) =>
    pairs.map((pair) => pair.map((part) => writtenAs(part, habit)).join('=')).join('&'),
  );
const raw = fc.string({ unit: fc.constantFrom(...'%%%&=+aAfFcC80923é💡'), maxLength: 14 });

describe('the canonical query', () => {
  test('is that of an implementation on bytes, which rejects the same queries as malformed', () => {
    fc.assert(
      fc.property(fc.oneof(sent, raw), (query) => {
        const expected = independent(query);
        if (expected === undefined)
          expect(() => canonicalQuery(query)).toThrow(MalformedQueryError);
        else expect(canonicalQuery(query)).toBe(expected);
      }),
      { numRuns: 300 },
    );
  });

  test('names the malformed part', () => {
    expect(() => canonicalQuery('a=1&b=%zz')).toThrow('query: malformed percent escape in "%zz"');
  });

  test('of text that UTF-8 cannot encode uses the replacement character', () => {
    expect(canonicalQuery('a=\ud800')).toBe('a=%EF%BF%BD');
    expect(encodeStrict('\udc00!')).toBe('%EF%BF%BD%21');
  });
});

/** A part of a query as clients send it: each byte escaped or not, in upper or lower case, where it may be. */
function writtenAs(part: string, habit: Iterator<string>): string {
  return [...Buffer.from(part)]
    .map((byte) => {
      const how = habit.next().value;
      const char = String.fromCharCode(byte);
      if (how === 'plain' && /[\w\-.~!'()*+/:?@$,;[\]]/.test(char)) return char;
      const escaped = `%${byte.toString(16).padStart(2, '0')}`;
      return how === 'lower' ? escaped : escaped.toUpperCase();
    })
    .join('');
}
