/** From inclusive, to exclusive. */
export interface Span {
  from: number;
  to: number;
}

const LOCAL = charTable("abcdefghijklmnopqrstuvwxyz0123456789!#$'*+^_`{|}~.-");
const DOMAIN = charTable('abcdefghijklmnopqrstuvwxyz0123456789.-');
const EDGE = charTable('abcdefghijklmnopqrstuvwxyz0123456789_');

/**
 * Finds email addresses in text, in order. The characters `=`, `&`, `/`, `?` and `%` end an address, as they do in URLs
 * and forms. Takes time in proportion to the text.
 */
export function findEmails(text: string): Span[] {
  const found: Span[] = [];
  let end = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let from = at;
    while (from > end && isIn(LOCAL, text, from - 1)) from -= 1;
    while (from < at && !isIn(EDGE, text, from)) from += 1;
    let to = at + 1;
    while (to < text.length && isIn(DOMAIN, text, to)) to += 1;
    while (to > at + 1 && !isIn(EDGE, text, to - 1)) to -= 1;
    if (from === at || !/\p{L}/u.test(text.slice(at, to))) continue;
    found.push({ from, to });
    end = to;
  }
  return found;
}

function charTable(chars: string): readonly boolean[] {
  const table = new Array<boolean>(128).fill(false);
  for (const char of chars + chars.toUpperCase()) table[char.charCodeAt(0)] = true;
  return table;
}

/** Letters of other alphabets count. */
function isIn(table: readonly boolean[], text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 ? table[code] === true : code > 0xa0 && code < 0xfff0;
}

const PLAIN_DOMAIN = /@[^@.]+(?:\.[^@.]+)*\.[a-z]{2,}$/i;

/** Finds email addresses in bytes that are not text: of ASCII, with a domain of two labels. */
export function findPlainEmails(bytes: string): Span[] {
  const ascii = bytes.replace(/[^\0-\x7f]/g, ' ');
  return findEmails(ascii).filter(({ from, to }) => PLAIN_DOMAIN.test(ascii.slice(from, to)));
}
