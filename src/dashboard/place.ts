import type { ControlContext } from '../control/endpoint.ts';
import type { World } from '../world/world.ts';
import { DEFAULT_WORLD } from '../world/worlds.ts';

/** Where somebody is in the dashboard: in which world, on which page, with what in the address. */
export interface Place {
  context: ControlContext;
  world: World;
  /** Below `/_sandbox`: `/` or `/dashboard/orders`. */
  path: string;
  /** Of the address, without the world. */
  query: Record<string, string>;
  /** Whether leaving means anything: a token was asked for. */
  signedIn: boolean;
}

type Values = Record<string, string | null | undefined>;

/** The address of a page, or of a route of the control door, in the same world. */
export function to({ world }: Pick<Place, 'world'>, path: string, query: Values = {}): string {
  return inWorld(world.name, path, query);
}

/** As `to`, in the world of that name. Members that are empty are left out. */
export function inWorld(world: string, path: string, query: Values = {}): string {
  const all = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) all.set(name, value);
  if (world !== DEFAULT_WORLD) all.set('world', world);
  const text = all.toString();
  return `/_sandbox${path}${text === '' ? '' : `?${text}`}`;
}

/** An id as one segment of a path. */
export const segment = encodeURIComponent;

/** A command that does what the page is about, here: in this world of this sandbox. */
export function command({ context, world }: Place, words: string): string {
  const url = context.about.baseUrl();
  const usual = url === 'http://127.0.0.1:4010' || url === 'http://localhost';
  const inThis = world.name === DEFAULT_WORLD ? '' : ` --world ${world.name}`;
  return `npx sandlot ${words}${inThis}${usual ? '' : ` --url ${url}`}`;
}
