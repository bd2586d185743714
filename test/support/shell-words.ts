/**
 * Splits a line into words as a POSIX shell does, with line continuations, without expansion.
 * @returns undefined if a quote is not closed
 */
export function shellWords(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  while (at < line.length) {
    const char = line.charAt(at);
    if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      at += 1;
    } else if (char === '\\') {
      const lineBreak = /^\\(?:\r?\n)/.exec(line.slice(at, at + 3));
      if (!lineBreak) word = (word ?? '') + line.charAt(at + 1);
      at += lineBreak?.[0].length ?? 2;
    } else if (char === "'" || char === '"') {
      const quotedPart = readQuoted(line, at);
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

/** Reads a quoted part; undefined if the quote is not closed. @param start index of the opening quote */
function readQuoted(line: string, start: number): { text: string; end: number } | undefined {
  const quote = line.charAt(start);
  let text = '';
  for (let at = start + 1; at < line.length; at += 1) {
    const char = line.charAt(at);
    if (char === quote) return { text, end: at + 1 };
    if (char !== '\\' || quote === "'") {
      text += char;
      continue;
    }
    const next = line.charAt(at + 1);
    // Inside double quotes, a backslash escapes only these.
    if (next !== '\n') text += '"\\$`'.includes(next) ? next : `\\${next}`;
    at += 1;
  }
  return undefined;
}
