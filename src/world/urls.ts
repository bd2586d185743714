import { DEFAULT_WORLD } from './files.ts';

export type UrlQuery = Record<string, string | null | undefined>;

/** Builds the URL of a path below `/_sandbox` for a world. Empty query values are left out. */
export function urlInWorld(world: string, path: string, query: UrlQuery = {}): string {
  const all = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) all.set(name, value);
  if (world !== DEFAULT_WORLD) all.set('world', world);
  return `/_sandbox${path}${all.size === 0 ? '' : `?${all}`}`;
}
