/** Merges headers, whose names have no case. Later ones replace earlier ones. */
export function mergeHeaders(
  ...lists: readonly (Readonly<Record<string, string>> | undefined)[]
): Record<string, string> {
  const merged = new Map<string, [name: string, value: string]>();
  for (const headers of lists) {
    for (const header of Object.entries(headers ?? {})) merged.set(header[0].toLowerCase(), header);
  }
  return Object.fromEntries(merged.values());
}
