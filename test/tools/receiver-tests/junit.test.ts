import fc from 'fast-check';
import { expect, test } from 'vitest';
import { junitXml } from '../../../src/tools/receiver-tests/junit.ts';
import { anyText } from '../../support/any-text.ts';

/** Characters of XML 1.0, without the control characters that it discourages or that a parser changes. */
const PLAIN = /^[\t\n\x20-\x7E\xA0-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u;

function failed(details: string): string {
  return junitXml('receiver-tests', [
    { group: 'sig', name: details, failure: { message: details, details } },
    { group: 'sig', name: 'b', skipped: details },
  ]);
}

test('control characters are escaped in texts and attributes', () => {
  const xml = failed('a\r\nb\rc\u009b31m\u001b[1m\u0000\u202e\ud800<&">');
  const text = 'b\\u000dc\\u009b31m\\u001b[1m\\u0000\\u202e\\ud800&lt;&amp;&quot;&gt;';
  expect(xml).toContain(`message="a&#10;${text}">a\n${text}</failure>`);
  expect(xml).toMatch(PLAIN);
});

test('any text gives a document without control characters', () => {
  fc.assert(fc.property(anyText(), (text) => PLAIN.test(failed(text))));
});
