/** Removes the byte order mark that PowerShell and some editors write at the beginning of a file. */
export function withoutBom(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** Parses JSON. @returns `otherwise` for text that is not JSON */
export function parseJson(text: string, otherwise?: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}

/** Indented deeper, JSON of strangers could be many times as long, and writing it could exhaust the stack. */
const MAX_DEPTH = 64;

/** Parses JSON that is written again. @returns undefined also for JSON of too many levels */
export function parseShallowJson(text: string): unknown {
  let depth = 0;
  // Brackets in strings count too: few strings have so many that are not closed.
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    if (depth > MAX_DEPTH) return undefined;
  }
  return parseJson(text);
}

/** Returns other text, and JSON of too many levels, as it is. */
export function indentJson(text: string): string {
  const value = /^\s*[[{]/.test(text) ? parseShallowJson(text) : undefined;
  return value === undefined ? text : JSON.stringify(value, null, 2);
}
