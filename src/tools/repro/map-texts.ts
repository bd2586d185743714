/** Gets the names of the nearest field, and of the one around it; empty at the top. Undefined keeps the text. */
type MapText = (text: string, field: string, parent: string) => string | undefined;

/** Returns a value with each text in it, also in lists and objects, mapped. @param mapName gets the names of fields */
export function mapTexts<T>(value: T, map: MapText, mapName = (name: string) => name): T {
  const visit = (item: unknown, field: string, parent: string): unknown => {
    if (typeof item === 'string') return map(item, field, parent) ?? item;
    if (Array.isArray(item)) return item.map((element) => visit(element, field, parent));
    if (typeof item !== 'object' || item === null) return item;
    const entries = Object.entries(item).map(([key, of]) => [mapName(key), visit(of, key, field)]);
    return Object.fromEntries(entries);
  };
  return visit(value, '', '') as T;
}
