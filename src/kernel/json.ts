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

/** Returns the fields of an object or a list; none for any other value. */
export function fieldsIn(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Deeper JSON from outside could exhaust the stack, and become many times as long when it is indented. */
const MAX_DEPTH = 64;

/** Parses JSON. @returns undefined if it is invalid, or nested deeper than 64 levels */
export function parseShallowJson(text: string): unknown {
  return measureJson(text).depth > MAX_DEPTH ? undefined : parseJson(text);
}

/** Returns the depth of JSON, and an upper bound of its fields and elements. Reads each character once, and skips strings. */
export function measureJson(json: string): { depth: number; values: number } {
  let [depth, deepest, values] = [0, 0, 0];
  for (let index = 0; index < json.length; index += 1) {
    const char = json[index];
    if (char === '"') {
      index += 1;
      while (index < json.length && json[index] !== '"') index += json[index] === '\\' ? 2 : 1;
    } else if (char === '[' || char === '{') {
      depth += 1;
      deepest = Math.max(deepest, depth);
      values += 1;
    } else if (char === ']' || char === '}') depth -= 1;
    else if (char === ',') values += 1;
  }
  return { depth: deepest, values };
}

/** Indents a JSON object or list. Returns other text, and JSON nested deeper than 64 levels, as it is. */
export function indentJson(text: string): string {
  const value = /^\s*[[{]/.test(text) ? parseShallowJson(text) : undefined;
  return value === undefined ? text : JSON.stringify(value, null, 2);
}
