/** A text without one level of escapes, with the origins of its characters. */
export interface Unescaped {
  text: string;
  /** Returns the index in the escaped text; for an end, the end of the escape before it. */
  origin(index: number): number;
}

/** Percent escapes, escapes of JSON and JavaScript, and the zero bytes of UTF-16. */
const ESCAPE = /%([0-9a-f]{2})|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|\\(["\\/])|\0+/gi;

/**
 * Undoes one level of escapes: percent escapes, `\u0073`, `\x73`, `\"` and `\\`. Each byte becomes a character; unknown
 * escapes stay.
 * @returns undefined if there are none
 */
export function unescapeOnce(escaped: string): Unescaped | undefined {
  if (!/[%\\\0]/.test(escaped)) return undefined;
  const starts: number[] = [0];
  const origins: number[] = [0];
  let text = '';
  let end = 0;
  for (const found of escaped.matchAll(ESCAPE)) {
    const [whole, percent, unicode, hex, itself] = found;
    const code = percent ?? unicode ?? hex;
    text += escaped.slice(end, found.index);
    starts.push(text.length);
    origins.push(found.index);
    text += code === undefined ? (itself ?? '') : String.fromCharCode(Number.parseInt(code, 16));
    end = found.index + whole.length;
    starts.push(text.length);
    origins.push(end);
  }
  if (end === 0) return undefined;
  text += escaped.slice(end);
  return { text, origin: (index) => originOf(index, starts, origins) };
}

/** Uses the last piece that starts at or before the index. */
function originOf(index: number, starts: readonly number[], origins: readonly number[]): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= index) low = middle;
    else high = middle;
  }
  return (origins[low] ?? 0) + index - (starts[low] ?? 0);
}
