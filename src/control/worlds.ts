import { z } from 'zod';
import { pageQuery, requiredText } from '../http/fields.ts';
import { resetRateLimits } from '../http/pipeline/rate-limit.ts';
import { validationError } from '../kernel/errors.ts';
import { type Fields, resource } from '../kernel/resource.ts';
import { paginate, readCursor } from '../store/paging.ts';
import { world, worldPage } from '../world/resources.ts';
import { controlEndpoint, controlEndpoints, emptyBody } from './endpoint.ts';
import { sameIds } from './same-ids.ts';

const rateLimitsReset = resource(
  'RateLimitsReset',
  'The counters of all rate limits are zero.',
  ({ value }: Fields<object>) => ({
    reset: value(() => z.literal(true)).from(() => true as const),
  }),
);

const name = z.object({ name: z.string() });

export const worldEndpoints = controlEndpoints({
  getWorlds: controlEndpoint({
    method: 'GET',
    path: '/worlds',
    summary: 'List the worlds by name.',
    description: 'Ordered by name. `default` always exists.',
    query: () => z.object(pageQuery()),
    response: worldPage,
    read: ({ tx, context, query }) => {
      const after = readCursor(tx, 'worlds', query);
      const all = context.worlds.list().toSorted((a, b) => (a.name < b.name ? -1 : 1));
      const rest = all.filter(({ name: each }) => after === undefined || each > after);
      return paginate(tx, 'worlds', rest, query, ({ name: each }) => each);
    },
  }),

  getWorld: controlEndpoint({
    method: 'GET',
    path: '/worlds/:name',
    summary: 'Show a world.',
    description: '404 `not_found` if there is no world of that name.',
    params: () => name,
    response: world,
    handle: ({ context, params }) => context.worlds.require(params.name),
  }),

  postWorld: controlEndpoint({
    method: 'POST',
    path: '/worlds',
    summary: 'Create a world: new, or as a fork of a world or a snapshot.',
    description:
      'A fork copies everything but credentials. 409 `conflict` if the name is taken. To enter the world, mint a credential in it.',
    body: () =>
      z.strictObject({
        name: requiredText(63),
        fork: requiredText(63).optional(),
        seed: requiredText(100).optional(),
        same_ids: sameIds(),
      }),
    errors: { conflict: '' },
    status: 201,
    entersWorld: false,
    response: world,
    async handle({ world: beside, context, body }) {
      if (body.fork !== undefined && body.seed !== undefined) {
        throw validationError('seed: a fork has the seed of its source; pass either fork or seed');
      }
      const { name: newName, same_ids, ...from } = body;
      const options = { ...from, beside, sameIds: same_ids };
      const created = await context.worlds.create(newName, options);
      if (same_ids) context.requests.of(created).repeatIds();
      return created;
    },
  }),

  deleteWorld: controlEndpoint({
    method: 'DELETE',
    path: '/worlds/:name',
    summary: 'Delete a world with everything in it.',
    description:
      'Deletes its credentials, snapshots and request log too. 409 `conflict` for the default world.',
    params: () => name,
    errors: { conflict: '' },
    entersWorld: false,
    response: world,
    async handle({ context, params }) {
      const deleted = context.worlds.require(params.name);
      context.worlds.assertDeletable(deleted);
      const { name, identity, clock } = deleted;
      await context.schedulers.end(deleted);
      const observed = await context.coverage.take(deleted);
      context.worlds.delete(params.name);
      context.requests.remove(deleted);
      await context.coverage.inherit(deleted, observed);
      return { name, identity, clock };
    },
  }),

  postReset: controlEndpoint({
    method: 'POST',
    path: '/reset',
    summary: 'Reset a world to its seed. Credentials stay.',
    description:
      'Starts over from the seed, with the configured inventory, credentials, webhooks and faults. Credentials stay. The request log is cleared; the reset is its first entry.',
    body: () => z.strictObject({ same_ids: sameIds() }),
    errors: { conflict: '' },
    response: world,
    async handle({ world: own, input, context, body: { same_ids } }) {
      context.requests.beforeReset(own);
      await context.worlds.reset(own, input, { sameIds: same_ids });
      context.requests.of(own).startOver({ sameIds: same_ids });
      context.schedulers.of(own).wake();
      return own;
    },
  }),

  postRateLimitsReset: controlEndpoint({
    method: 'POST',
    path: '/rate-limits/reset',
    summary: 'Reset the rate limits of a world.',
    description: 'Every credential of the world can send its full number of requests again.',
    body: emptyBody,
    response: rateLimitsReset,
    write({ tx }) {
      resetRateLimits(tx);
      return {};
    },
  }),
});
