type Filters = Record<string, string | number | boolean | undefined>;

/**
 * Returns the filters of an empty list that no item matches, with their values. Returns none if each filter has matches,
 * but not all of them together.
 * @param isEmpty returns whether the list has no items with these filters
 */
export async function unmetFilters(
  filters: Filters,
  isEmpty: (filters: Filters) => Promise<boolean>,
): Promise<[name: string, value: unknown][]> {
  const definedFilters = Object.entries(filters).filter(([, value]) => value !== undefined);
  if (definedFilters.length === 1) return definedFilters;
  const unmet: typeof definedFilters = [];
  for (const [name, value] of definedFilters)
    if (await isEmpty({ [name]: value })) unmet.push([name, value]);
  return unmet;
}
