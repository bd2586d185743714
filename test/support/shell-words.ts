/**
 * Splits a line into words as a POSIX shell does, with `$'…'` of bash and line continuations, without expansion.
 * @returns undefined if a quote is not closed
 */
export function shellWords(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  while (at < line.length) {
    const char = line.charAt(at);
    const next = line.charAt(at + 1);
    if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      at += 1;
    } else if (char === '\\') {
      const lineBreak = /^\\(?:\r?\n)/.exec(line.slice(at, at + 3));
      if (!lineBreak) word = (word ?? '') + next;
      at += lineBreak?.[0].length ?? 2;
    } else if (char === "'" || char === '"' || (char === '$' && next === "'")) {
      const quotedPart = readQuoted(line, char === '$' ? at + 1 : at, char === '$');
      if (!quotedPart) return undefined;
      word = (word ?? '') + quotedPart.text;
      at = quotedPart.end;
    } else {
      word = (word ?? '') + char;
      at += 1;
    }
  }
  return word === undefined ? words : [...words, word];
}

const ANSI_C: Record<string, string> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
};
/** Escapes of UTF-8 bytes: `\xc3\xa9`, `\303\251`. */
const BYTES = /(?:\\(?:x[0-9a-fA-F]{1,2}|[0-7]{1,3}))+/y;
/** Escapes of code points: `\u00e9`, `\U0001f600`. */
const CODE_POINT = /\\(?:u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8}))/y;

/** Decodes an escape of `$'…'`. @param at index of its backslash */
function readEscape(line: string, at: number): { text: string; length: number } {
  BYTES.lastIndex = at;
  const [bytes] = BYTES.exec(line) ?? [];
  if (bytes !== undefined) {
    const values = bytes.split('\\').slice(1).map(byteOf);
    return { text: Buffer.from(values).toString(), length: bytes.length };
  }
  CODE_POINT.lastIndex = at;
  const point = CODE_POINT.exec(line);
  const code = Number.parseInt(point?.[1] ?? point?.[2] ?? '', 16);
  if (point && code <= 0x10ffff) {
    return { text: String.fromCodePoint(code), length: point[0].length };
  }
  const next = line.charAt(at + 1);
  return { text: ANSI_C[next] ?? `\\${next}`, length: 2 };
}

function byteOf(digits: string): number {
  return digits.startsWith('x') ? Number.parseInt(digits.slice(1), 16) : Number.parseInt(digits, 8);
}

/** Reads a quoted part; undefined if the quote is not closed. @param start index of the opening quote */
function readQuoted(
  line: string,
  start: number,
  ansiC: boolean,
): { text: string; end: number } | undefined {
  const quote = line.charAt(start);
  let text = '';
  for (let at = start + 1; at < line.length; at += 1) {
    const char = line.charAt(at);
    if (char === quote) return { text, end: at + 1 };
    const next = line.charAt(at + 1);
    if (char !== '\\' || (quote === "'" && !ansiC)) {
      text += char;
      continue;
    }
    if (ansiC) {
      const character = readEscape(line, at);
      text += character.text;
      at += character.length - 1;
    } else {
      // Inside double quotes, a backslash escapes only these.
      if (next !== '\n') text += '"\\$`'.includes(next) ? next : `\\${next}`;
      at += 1;
    }
  }
  return undefined;
}
