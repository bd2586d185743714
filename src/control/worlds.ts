import { z } from 'zod';
import { pageQuery, storedName } from '../http/fields.ts';
import { usageOf } from '../http/pipeline/access.ts';
import { resource } from '../kernel/resource.ts';
import { schemaMetadata } from '../kernel/schema-metadata.ts';
import { nextTurn } from '../kernel/timers.ts';
import { paginateSorted } from '../store/paging.ts';
import { world, worldPage } from '../world/resources.ts';
import type { World } from '../world/world.ts';
import { type ControlContext, del, get, named, post } from './endpoint.ts';

const rateLimitsReset = resource(
  'RateLimitsReset',
  'The counters of all rate limits are zero.',
  ({ constant }) => ({ reset: constant(true) }),
);

/** The field `same_ids` of endpoints that start a new id series. */
export function sameIds() {
  return z.boolean().default(false).register(schemaMetadata, {
    description:
      'Repeat the IDs that were issued before, for byte-identical runs. Otherwise no ID is ever issued twice.',
  });
}

export const worldEndpoints = named({
  getWorlds: get('/worlds', {
    summary: 'List the worlds by name.',
    description: 'Ordered by name. `default` always exists.',
    query: () => z.object(pageQuery()),
    response: worldPage,
    read: ({ tx, context, query }) => {
      const worlds = context.worlds.list().toSorted((a, b) => (a.name < b.name ? -1 : 1));
      return paginateSorted(tx, 'worlds', worlds, query, ({ name }) => name);
    },
  }),

  getWorld: get('/worlds/:name', {
    summary: 'Show a world.',
    description: '404 `not_found` for an unknown world.',
    response: world,
    handle: ({ context, params }) => context.worlds.require(params.name),
  }),

  postWorld: post('/worlds', {
    summary: 'Create a world: new, or as a fork of a world or a snapshot.',
    description:
      'A fork copies everything but credentials, snapshots and the request log. 409 `conflict` if the name is taken. To send requests to it, create a credential in it.',
    body: () =>
      z.strictObject({
        name: storedName().describe('Name of the new world.'),
        fork: storedName()
          .optional()
          .describe('World to fork, or snapshot of the world that the call is for.'),
        same_ids: sameIds(),
      }),
    status: 201,
    recordsRuns: false,
    response: world,
    handle: ({ world, context, body: { name, fork, same_ids: sameIds } }) =>
      context.worlds.create(name, { fork, snapshotOwner: world, sameIds }),
  }),

  deleteWorld: del('/worlds/:name', {
    summary: 'Delete a world with everything in it.',
    description:
      'Deletes its credentials and snapshots too. Its requests are no longer listed. 409 `conflict` for the default world.',
    recordsRuns: false,
    response: world,
    async handle({ context, params }) {
      const deletedWorld = context.worlds.require(params.name);
      await context.worlds.delete(deletedWorld);
      return deletedWorld;
    },
  }),

  postReset: post('/reset', {
    summary: 'Reset a world to its seed. Its credentials stay.',
    description:
      'Starts over from the seed. Credentials and snapshots stay. `default` has the inventory files, credentials, webhooks and faults of the configuration again. The request log hides earlier requests; the reset is its first entry.',
    body: () => z.strictObject({ same_ids: sameIds() }),
    response: world,
    handle: ({ world, request, context, body: { same_ids: sameIds } }) =>
      replaceState(world, context, () => context.worlds.reset(world, request, { sameIds })),
  }),

  postRateLimitsReset: post('/rate-limits/reset', {
    summary: 'Reset the rate limits of a world.',
    response: rateLimitsReset,
    handle({ world }) {
      usageOf(world).windows.clear();
      return {};
    },
  }),
});

/** Resets or restores a world, and wakes its scheduler. */
export async function replaceState(
  world: World,
  { schedulers }: ControlContext,
  replace: () => void,
): Promise<World> {
  // Node.js frees replaced databases between turns of the event loop. A loop of calls in process may have only one.
  await nextTurn();
  replace();
  schedulers.of(world).wake();
  return world;
}
