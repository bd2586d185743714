import { z } from 'zod';
import { pageQuery, storedName } from '../http/fields.ts';
import { mapPage, paginateSorted } from '../store/paging.ts';
import { type SnapshotRow, snapshot, snapshotPage, world } from '../world/resources.ts';
import type { World } from '../world/world.ts';
import type { Worlds } from '../world/worlds.ts';
import { del, get, named, post } from './endpoint.ts';
import { replaceState, sameIds } from './worlds.ts';

export const snapshotEndpoints = named({
  postSnapshot: post('/snapshots', {
    summary: 'Save the state of a world under a name.',
    description: '409 `conflict` if the name is taken, unless `replace` is true.',
    body: () =>
      z.strictObject({
        name: storedName().describe('Name of the snapshot.'),
        replace: z.boolean().default(false).describe('Overwrite an existing snapshot.'),
      }),
    status: 201,
    response: snapshot,
    handle({ world, request, context: { worlds }, body }) {
      return { ...worlds.snapshots.save(world, body.name, request, body), world: world.name };
    },
  }),

  getSnapshots: get('/snapshots', {
    summary: 'List the snapshots of a world by name.',
    description: 'Ordered by name.',
    query: () => z.object(pageQuery()),
    response: snapshotPage,
    read: ({ tx, world, context: { worlds }, query }) => {
      const names = worlds.snapshots.names(world);
      const page = paginateSorted(tx, 'snapshots', names, query, (name) => name);
      return mapPage(page, (name) => snapshotOf(worlds, world, name));
    },
  }),

  postSnapshotRestore: post('/snapshots/:name/restore', {
    summary: 'Restore a world, with its clock, from a snapshot. Credentials stay as they are now.',
    description: 'The request log stays as it is.',
    body: () => z.strictObject({ same_ids: sameIds() }),
    response: world,
    handle: ({ world, request, context, params, body: { same_ids: sameIds } }) =>
      replaceState(world, context, () =>
        context.worlds.restore(world, params.name, request, { sameIds }),
      ),
  }),

  deleteSnapshot: del('/snapshots/:name', {
    summary: 'Delete a snapshot.',
    response: snapshot,
    handle: ({ world, context: { worlds }, params }) => {
      const removedSnapshot = snapshotOf(worlds, world, params.name);
      worlds.snapshots.delete(world, params.name);
      return removedSnapshot;
    },
  }),
});

function snapshotOf({ snapshots }: Worlds, world: World, name: string): SnapshotRow {
  return { ...snapshots.require(world, name), world: world.name };
}
