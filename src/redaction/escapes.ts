/** A text, or what it is without some levels of escapes. */
export interface Level {
  text: string;
  /** Where each character, and the end, is in the text as given; undefined for that text. */
  origins: Uint32Array | undefined;
}

/** Levels of escapes that are undone: a body in a JSON document in a query, and one more. */
const MAX_LEVELS = 4;
const PERCENT = 0x25;
const BACKSLASH = 0x5c;
/** Number of hexadecimal digits after the beginning of an escape. */
const DIGITS: Readonly<Record<string, number>> = { '%': 2, x: 2, X: 2, u: 4, U: 4 };
/** What other escapes stand for, by the character after the backslash. */
const CHARACTERS: Readonly<Record<string, number>> = {
  '"': 0x22,
  '\\': 0x5c,
  '/': 0x2f,
  b: 0x08,
  f: 0x0c,
  n: 0x0a,
  r: 0x0d,
  t: 0x09,
};
const HEX = Int8Array.from({ length: 128 }, (_, code) => {
  const digit = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(digit) ? -1 : digit;
});

/** Yields a text, then the text without one level of escapes after the other. */
export function* levelsOf(text: string): Generator<Level> {
  let level: Level | undefined = { text, origins: undefined };
  for (let depth = 0; level !== undefined; depth += 1) {
    yield level;
    level = depth < MAX_LEVELS ? unescaped(level) : undefined;
  }
}

/**
 * Undoes percent escapes, those of JSON and `\x73`, and leaves out the zero bytes of UTF-16. Each byte becomes a character;
 * unknown escapes stay.
 * @returns undefined if there are none
 */
function unescaped({ text, origins: before }: Level): Level | undefined {
  if (!/[%\\\0]/.test(text)) return undefined;
  const codes = new Uint16Array(text.length);
  const origins = new Uint32Array(text.length + 1);
  const originOf = (index: number) => before?.[index] ?? index;
  let length = 0;
  for (let at = 0, next = 0; at < text.length; at = next) {
    let code = text.charCodeAt(at);
    next = at + 1;
    if (code === 0) continue;
    if (code === PERCENT || code === BACKSLASH) {
      const kind = code === PERCENT ? '%' : text.charAt(at + 1);
      const start = code === PERCENT ? at + 1 : at + 2;
      const digits = DIGITS[kind];
      const value = digits === undefined ? CHARACTERS[kind] : hexAt(text, start, digits);
      if (value !== undefined) {
        code = value;
        next = start + (digits ?? 0);
      }
    }
    codes[length] = code;
    origins[length] = originOf(at);
    length += 1;
  }
  if (length === text.length) return undefined;
  origins[length] = originOf(text.length);
  return { text: Buffer.from(codes.buffer, 0, length * 2).toString('utf16le'), origins };
}

/** @returns undefined if there are no such digits */
function hexAt(text: string, from: number, digits: number): number | undefined {
  let value = 0;
  for (let at = from; at < from + digits; at += 1) {
    const digit = HEX[text.charCodeAt(at)] ?? -1;
    if (digit < 0) return undefined;
    value = value * 16 + digit;
  }
  return value;
}
