import { DEFAULT_WORLD } from '../world/worlds.ts';

/** A page that shows one world. */
export interface InWorld {
  world: { name: string };
}

type Values = Record<string, string | null | undefined>;

/** Builds the URL of a page or control API route in the world of a page. */
export function urlFor({ world }: InWorld, path: string, query: Values = {}): string {
  return urlInWorld(world.name, path, query);
}

/** Builds a URL below `/_sandbox`. Empty query values are left out. */
export function urlInWorld(world: string, path: string, query: Values = {}): string {
  const all = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) all.set(name, value);
  if (world !== DEFAULT_WORLD) all.set('world', world);
  const text = all.toString();
  return `/_sandbox${path}${text === '' ? '' : `?${text}`}`;
}
