/**
 * The words that a POSIX shell (and `$'…'` of bash) makes of a line, line continuations included; nothing is
 * expanded.
 * @returns undefined when a quote is left open
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
      const quoted = readQuoted(line, char === '$' ? at + 1 : at, char === '$');
      if (!quoted) return undefined;
      word = (word ?? '') + quoted.text;
      at = quoted.end;
    } else {
      word = (word ?? '') + char;
      at += 1;
    }
  }
  return word === undefined ? words : [...words, word];
}

const ANSI_C: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
/** Behind the backslash of `\x41`, `\u0041` and `\101`. */
const CODE = /^(?:x([0-9a-f]{1,2})|u([0-9a-f]{1,4})|([0-7]{1,3}))/i;

function unitOf([, x, u, octal]: RegExpExecArray): number {
  return octal === undefined ? Number.parseInt(x ?? u ?? '', 16) : Number.parseInt(octal, 8) & 0xff;
}

/** @param start index of the opening quote */
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
      const code = CODE.exec(line.slice(at + 1, at + 6));
      text += code ? String.fromCharCode(unitOf(code)) : (ANSI_C[next] ?? next);
      at += code?.[0].length ?? 1;
    } else {
      // Inside double quotes a backslash only guards these.
      if (next !== '\n') text += '"\\$`'.includes(next) ? next : `\\${next}`;
      at += 1;
    }
  }
  return undefined;
}
