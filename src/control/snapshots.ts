import { z } from 'zod';
import { flag, pageQuery, requiredText } from '../http/fields.ts';
import { mapPage, paginateSorted } from '../store/paging.ts';
import { type SnapshotRow, snapshot, snapshotPage, world } from '../world/resources.ts';
import type { World } from '../world/world.ts';
import type { Worlds } from '../world/worlds.ts';
import { del, get, named, post } from './endpoint.ts';
import { sameIds } from './worlds.ts';

export const snapshotEndpoints = named({
  postSnapshot: post('/snapshots', {
    summary: 'Save the state of a world under a name.',
    description: '409 `conflict` if the name is taken, unless `replace` is true.',
    body: () =>
      z.strictObject({
        name: requiredText(63).describe('Name of the snapshot.'),
        replace: flag().default(false).describe('Overwrite an existing snapshot.'),
      }),
    status: 201,
    response: snapshot,
    async handle({ world: own, cause, context: { worlds }, body }) {
      if (worlds.snapshots.has(own, body.name)) usesSnapshot(worlds, own, body.name);
      const saved = await worlds.snapshots.save(own, body.name, cause, body);
      return { ...saved, world: own.name };
    },
  }),

  getSnapshots: get('/snapshots', {
    summary: 'List the snapshots of a world by name.',
    description: '`problem` says why a snapshot cannot be restored.',
    query: () => z.object(pageQuery()),
    response: snapshotPage,
    read: ({ tx, world: own, context: { worlds }, query }) => {
      const names = worlds.snapshots.names(own);
      const page = paginateSorted(tx, 'snapshots', names, query, (name) => name);
      return mapPage(page, (name) => snapshotOf(worlds, own, name));
    },
  }),

  postSnapshotRestore: post('/snapshots/:name/restore', {
    summary: 'Restore a world, with its clock, from a snapshot. Credentials stay as they are now.',
    description:
      'Turns the clock back to the moment of saving. Credentials, used nonces and the request log stay as they are now.',
    body: () => z.strictObject({ same_ids: sameIds() }),
    response: world,
    async handle({ world: own, cause, context, params, body }) {
      usesSnapshot(context.worlds, own, params.name);
      context.requests.rememberSecrets(own);
      await context.worlds.restore(own, params.name, cause, { sameIds: body.same_ids });
      context.schedulers.of(own).wake();
      return own;
    },
  }),

  deleteSnapshot: del('/snapshots/:name', {
    summary: 'Delete a snapshot.',
    description: 'The world itself stays as it is.',
    response: snapshot,
    handle: ({ world: own, cause, context: { worlds }, params }) => {
      usesSnapshot(worlds, own, params.name);
      return own.actOutside(cause, () => {
        const removed = snapshotOf(worlds, own, params.name);
        worlds.snapshots.delete(own, params.name);
        return removed;
      });
    },
  }),
});

function snapshotOf({ snapshots }: Worlds, own: World, name: string): SnapshotRow {
  return { ...snapshots.require(own, name), world: own.name };
}

/** A snapshot that was saved before the recording cannot be replayed. */
function usesSnapshot({ snapshots }: Worlds, own: World, name: string): void {
  // A message about one that does not exist names the others.
  const used = snapshots.has(own, name) ? [name] : snapshots.names(own);
  for (const name of used) own.follower.snapshot(name, 'used');
}
