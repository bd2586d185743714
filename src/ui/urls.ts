import { type QueryValues, urlInWorld } from '../world/urls.ts';

/** A page that shows one world. */
export interface InWorld {
  world: { name: string };
}

/** Builds the URL of a page or control API route in the world of a page. */
export function urlFor({ world }: InWorld, path: string, query: QueryValues = {}): string {
  return urlInWorld(world.name, path, query);
}
