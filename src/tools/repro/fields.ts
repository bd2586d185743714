/** Looks up a path with dots. Fields of null, and elements past the end of a list, are known, but have no value. */
export function lookUp(object: unknown, path: string): { value: unknown; isKnown: boolean } {
  let value = object;
  for (const name of path.split('.')) {
    if (value === null || value === undefined) return { value: undefined, isKnown: true };
    if (typeof value !== 'object') return { value: undefined, isKnown: false };
    const isItem = Array.isArray(value) && /^\d+$/.test(name);
    if (!isItem && !Object.hasOwn(value, name)) return { value: undefined, isKnown: false };
    value = (value as Record<string, unknown>)[name];
  }
  return { value, isKnown: true };
}
