/** A text, or what it is without some levels of escapes. */
export interface Level {
  text: string;
  /** Returns where each character, and the end, is in the text as given; undefined for that text. */
  origins(): Uint32Array | undefined;
}

/** Levels of escapes that are undone: a body in a JSON document in a query, and one more. */
const MAX_LEVELS = 4;
/** Percent escapes, those of JSON and JavaScript, and the zero bytes of UTF-16. */
const ESCAPE = /%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\["\\/bfnrt]|\0+/gi;
const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Yields a text, then the text without one level of escapes after the other. */
export function* levelsOf(text: string): Generator<Level> {
  let level: Level | undefined = { text, origins: () => undefined };
  for (let depth = 0; level !== undefined; depth += 1) {
    yield level;
    level = depth < MAX_LEVELS ? unescaped(level) : undefined;
  }
}

/**
 * Undoes escapes. Each byte of a percent escape becomes a character; unknown escapes stay.
 * @returns undefined if there are none
 */
function unescaped(level: Level): Level | undefined {
  if (!/[%\\\0]/.test(level.text)) return undefined;
  const text = level.text.replace(ESCAPE, charOf);
  if (text.length === level.text.length) return undefined;
  let origins: Uint32Array | undefined;
  return {
    text,
    origins: () => {
      origins ??= originsOf(level, text.length);
      return origins;
    },
  };
}

function charOf(raw: string): string {
  if (raw.startsWith('\0')) return '';
  const kind = raw.charAt(1);
  if (raw.length === 2) return CONTROLS[kind.toLowerCase()] ?? kind;
  return String.fromCharCode(Number.parseInt(raw.slice(raw.startsWith('%') ? 1 : 2), 16));
}

/** Looks for the escapes again: few texts have findings, for which origins are needed. */
function originsOf({ text, origins }: Level, length: number): Uint32Array {
  const before = origins();
  const found = new Uint32Array(length + 1);
  let [index, at] = [0, 0];
  const add = (end: number) => {
    for (; at < end; at += 1, index += 1) found[index] = before?.[at] ?? at;
  };
  for (const { 0: raw, index: start } of text.matchAll(ESCAPE)) {
    add(start + charOf(raw).length);
    at = start + raw.length;
  }
  add(text.length + 1);
  return found;
}
