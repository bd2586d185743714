import { z } from 'zod';
import { missingOr, pageQuery, requiredText } from '../http/fields.ts';
import { isoTime } from '../kernel/time.ts';
import { cutPage, readCursor } from '../store/paging.ts';
import type { Snapshot } from '../world/snapshots.ts';
import type { World } from '../world/world.ts';
import { controlEndpoint } from './endpoint.ts';
import { sameIds } from './same-ids.ts';
import { snapshotPageSchema, snapshotSchema } from './snapshot-schema.ts';
import { worldSchema } from './world-schema.ts';
import { worldView } from './world-view.ts';

const name = z.object({ name: z.string() });

export const postSnapshot = controlEndpoint({
  name: 'postSnapshot',
  method: 'POST',
  path: '/snapshots',
  summary: 'Keeps a world as it is now, under a name.',
  body: z.strictObject({
    name: requiredText(63),
    replace: z.boolean({ error: missingOr('must be true or false') }).default(false),
  }),
  errors: ['conflict'],
  status: 201,
  answer: snapshotSchema,
  handle({ world, machinery: { worlds }, body }) {
    worlds.refuseGone(world);
    worlds.snapshots.save(world, body.name, body);
    return snapshotView(world, worlds.snapshots.require(world, body.name));
  },
});

export const getSnapshots = controlEndpoint({
  name: 'getSnapshots',
  method: 'GET',
  path: '/snapshots',
  summary: 'The snapshots of a world, by name.',
  query: z.object(pageQuery()),
  status: 200,
  answer: snapshotPageSchema,
  handle: ({ world, machinery: { worlds }, query }) =>
    world.peek((tx) => {
      const after = readCursor(tx, 'snapshots', query);
      const names = worlds.snapshots
        .names(world)
        .filter((each) => after === undefined || each > after);
      const { rows, next_cursor } = cutPage(tx, 'snapshots', names, query, (each) => each);
      const snapshots = rows.map((each) => worlds.snapshots.require(world, each));
      return { snapshots: snapshots.map((each) => snapshotView(world, each)), next_cursor };
    }),
});

export const postSnapshotRestore = controlEndpoint({
  name: 'postSnapshotRestore',
  method: 'POST',
  path: '/snapshots/:name/restore',
  summary:
    'Puts a world back to a snapshot, clock and all, with new ids from there. Credentials stay as they are now.',
  params: name,
  body: z.strictObject({ same_ids: sameIds() }),
  errors: ['conflict'],
  status: 200,
  answer: worldSchema,
  handle({ world, machinery, params, body }) {
    machinery.worlds.restore(world, params.name, { sameIds: body.same_ids });
    machinery.schedulers.of(world).wake();
    return worldView(world);
  },
});

export const deleteSnapshot = controlEndpoint({
  name: 'deleteSnapshot',
  method: 'DELETE',
  path: '/snapshots/:name',
  summary: 'Removes a snapshot.',
  params: name,
  status: 200,
  answer: snapshotSchema,
  handle({ world, machinery: { worlds }, params }) {
    const view = snapshotView(world, worlds.snapshots.require(world, params.name));
    worlds.snapshots.delete(world, params.name);
    return view;
  },
});

/** `clock` is where sandbox time stood; `problem` says why it cannot be restored, where that is known. */
export function snapshotView(world: World, { name: own, sizeBytes, card }: Snapshot) {
  const seen = 'problem' in card ? undefined : card;
  return {
    name: own,
    world: world.name,
    created_at: seen ? isoTime(seen.savedAt) : null,
    clock: seen ? { now: isoTime(seen.clockMs), frozen: seen.frozen } : null,
    size_bytes: sizeBytes,
    problem: 'problem' in card ? card.problem : null,
  };
}
