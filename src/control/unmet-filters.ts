type Filters = Record<string, string | number | boolean | undefined>;

/**
 * Returns the filters of an empty list that no item meets, with their values. There are none if items meet each filter,
 * but not all together.
 * @param isEmpty says whether the list has no items with these filters
 */
export async function unmetFilters(
  filters: Filters,
  isEmpty: (filters: Filters) => Promise<boolean>,
): Promise<[name: string, value: unknown][]> {
  const defined = Object.entries(filters).filter(([, value]) => value !== undefined);
  if (defined.length === 1) return defined;
  const unmet: typeof defined = [];
  for (const [name, value] of defined)
    if (await isEmpty({ [name]: value })) unmet.push([name, value]);
  return unmet;
}
