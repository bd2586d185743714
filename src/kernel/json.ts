/** Parses JSON. @returns `otherwise` for text that is not JSON */
export function parseJson(text: string, otherwise?: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}
