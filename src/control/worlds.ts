import { z } from 'zod';
import { pageQuery, requiredText } from '../http/fields.ts';
import { resetRateLimits } from '../http/pipeline/rate-limit.ts';
import { record } from '../kernel/answer.ts';
import { validationError } from '../kernel/errors.ts';
import { cutPage, readCursor } from '../store/paging.ts';
import { controlEndpoint } from './endpoint.ts';
import { sameIds } from './same-ids.ts';
import { worldPageSchema, worldSchema } from './world-schema.ts';
import { worldView } from './world-view.ts';

const rateLimitsResetSchema = record(
  'RateLimitsReset',
  { says: 'Nothing counts any more.' },
  () => ({ reset: z.literal(true) }),
);

const name = z.object({ name: z.string() });

export const getWorlds = controlEndpoint({
  name: 'getWorlds',
  method: 'GET',
  path: '/worlds',
  summary: 'The worlds of this server, by name.',
  query: z.object(pageQuery()),
  status: 200,
  answer: worldPageSchema,
  handle: ({ world, machinery, query }) =>
    world.peek((tx) => {
      const after = readCursor(tx, 'worlds', query);
      const all = machinery.worlds.list().toSorted((a, b) => (a.name < b.name ? -1 : 1));
      const rest = all.filter(({ name: each }) => after === undefined || each > after);
      const { rows, next_cursor } = cutPage(tx, 'worlds', rest, query, ({ name: each }) => each);
      return { worlds: rows.map(worldView), next_cursor };
    }),
});

export const getWorld = controlEndpoint({
  name: 'getWorld',
  method: 'GET',
  path: '/worlds/:name',
  summary: 'One world.',
  params: name,
  status: 200,
  answer: worldSchema,
  handle: ({ machinery, params }) => worldView(machinery.worlds.require(params.name)),
});

export const postWorld = controlEndpoint({
  name: 'postWorld',
  method: 'POST',
  path: '/worlds',
  summary:
    "A new world: fresh, or a copy of another's marketplace, or of a snapshot. Mint a credential in it to enter.",
  body: z.strictObject({
    name: requiredText(63),
    fork: requiredText(63).optional(),
    seed: requiredText(100).optional(),
    same_ids: sameIds(),
  }),
  errors: ['conflict'],
  status: 201,
  answer: worldSchema,
  async handle({ world, machinery, body }) {
    if (body.fork !== undefined && body.seed !== undefined) {
      throw validationError('seed: a fork has the seed of its source; give either fork or seed');
    }
    const { name: newName, same_ids, ...from } = body;
    const options = { ...from, beside: world, sameIds: same_ids };
    const created = await machinery.worlds.create(newName, options);
    if (same_ids) machinery.requests.of(created).repeatIds();
    return worldView(created);
  },
});

export const deleteWorld = controlEndpoint({
  name: 'deleteWorld',
  method: 'DELETE',
  path: '/worlds/:name',
  summary: 'Removes a world and all that is in it.',
  params: name,
  errors: ['conflict'],
  status: 200,
  answer: worldSchema,
  async handle({ machinery, params }) {
    const world = machinery.worlds.require(params.name);
    machinery.worlds.refuseDelete(world);
    const view = worldView(world);
    await machinery.schedulers.end(world);
    machinery.worlds.delete(params.name);
    machinery.requests.remove(world);
    return view;
  },
});

export const postReset = controlEndpoint({
  name: 'postReset',
  method: 'POST',
  path: '/reset',
  summary:
    'Puts a world back to its seed. Credentials stay, everything else starts over, with new ids.',
  body: z.strictObject({ same_ids: sameIds() }),
  errors: ['conflict'],
  status: 200,
  answer: worldSchema,
  async handle({ world, machinery, body: { same_ids } }) {
    await machinery.worlds.reset(world, { sameIds: same_ids });
    machinery.requests.of(world).clear({ sameIds: same_ids });
    machinery.schedulers.of(world).wake();
    return worldView(world);
  },
});

export const postRateLimitsReset = controlEndpoint({
  name: 'postRateLimitsReset',
  method: 'POST',
  path: '/rate-limits/reset',
  summary: 'Forgets what was counted towards rate limits in a world.',
  body: z.strictObject({}),
  status: 200,
  answer: rateLimitsResetSchema,
  async handle({ world }) {
    await world.transact(resetRateLimits);
    return { reset: true };
  },
});
