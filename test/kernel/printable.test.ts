import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeControls, escapeControlsButColors, printable } from '../../src/kernel/printable.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these may not be left
const STEERS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

test('no control character is left in any text', () => {
  const hostile = fc.string({
    unit: fc.oneof(
      fc.constantFrom('\x1b', '\x9b', '\r', '\n', '\x07', '\u202e', '[31m'),
      fc.string(),
    ),
  });
  fc.assert(
    fc.property(hostile, (text) => {
      expect(printable(text)).not.toMatch(STEERS);
      expect(escapeControls(text).replaceAll('\r\n', '\n')).not.toMatch(STEERS);
      const colored = escapeControlsButColors(text).replaceAll('\r\n', '\n');
      expect(stripVTControlCharacters(colored)).not.toMatch(STEERS);
    }),
  );
});

test('an escape names the character, and line ends, tabs and own colors stay', () => {
  expect(escapeControls('a\x1b[8mb\tc\r\nd\re\n')).toBe('a\\u001b[8mb\tc\r\nd\\u000de\n');
  expect(escapeControlsButColors('\x1b[32mok\x1b[39m \x1b[8m\x1b[2J')).toBe(
    '\x1b[32mok\x1b[39m \\u001b[8m\\u001b[2J',
  );
});
