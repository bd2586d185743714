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
