import type { Child } from 'hono/jsx';
import type { ControlContext } from '../control/endpoint.ts';
import type { WatchedResource } from '../control/revisions.ts';
import type { World } from '../world/world.ts';
import { DEFAULT_WORLD } from '../world/worlds.ts';

/** What a page of the dashboard is rendered from. */
export interface PageContext {
  context: ControlContext;
  world: World;
  /** Below `/_sandbox`: `/` or `/dashboard/orders`. */
  path: string;
  /** Query parameters, without the world. */
  query: Record<string, string>;
  /** Whether the browser can sign out. */
  signedIn: boolean;
}

/** A page of the dashboard. */
export interface Page {
  title: string;
  content: Child;
  /** Resources whose changes refresh the page. */
  live?: readonly WatchedResource[];
  status?: number;
}

/** Completes a command with the options that reach this world of this sandbox. */
export function commandFor({ context, world }: PageContext, command: string): string {
  const url = context.about.baseUrl();
  const isDefault = url === 'http://127.0.0.1:4010' || url === 'http://localhost';
  const worldOption = world.name === DEFAULT_WORLD ? '' : ` --world ${world.name}`;
  return `npx sandlot ${command}${worldOption}${isDefault ? '' : ` --url ${url}`}`;
}
