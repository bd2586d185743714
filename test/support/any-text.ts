import fc from 'fast-check';

/** A character of any code point but a surrogate. `unit: 'binary'` would build a table of a million for each arbitrary. */
const character = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));

/** An arbitrary of texts that UTF-8 can hold. */
export function anyText(length: fc.StringConstraints = {}): fc.Arbitrary<string> {
  return fc.string({ ...length, unit: character });
}
