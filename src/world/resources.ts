import { z } from 'zod';
import { countedPage, type Fields, type Output, resource } from '../kernel/resource.ts';
import type { Clock } from './clock.ts';
import type { Snapshot } from './snapshots.ts';
import type { World } from './world.ts';

/** The clock of a world, read when the response is made. */
export const clock = resource(
  'Clock',
  'Sandbox time, its offset from real time in ms, and whether it is frozen.',
  ({ time, number, flag }: Fields<Clock>) => ({
    now: time().from((row) => row.reading().nowMs),
    offset_ms: number(() => z.int()).from((row) => row.reading().offsetMs),
    frozen: flag(),
  }),
);
export type ControlClock = Output<typeof clock>;

export const world = resource(
  'World',
  'An isolated marketplace.',
  ({ text, object, time }: Fields<Pick<World, 'name' | 'identity' | 'clock'>>) => ({
    name: text(),
    seed: text().from((row) => row.identity.seed),
    clock: object(clock),
    /** Real time. */
    created_at: time().from((row) => row.identity.createdAt),
  }),
).display({
  name: 'World',
  seed: 'Seed',
  clock: ['Clock', ({ clock: { now } }) => now, 'time'],
  frozen: ['Frozen', ({ clock: { frozen } }) => (frozen ? 'yes' : 'no')],
  created_at: 'Created (real time)',
});
export type ControlWorld = Output<typeof world>;
export const worldPage = countedPage(
  world,
  'WorldPage',
  'worlds',
  'One page of the worlds, by name.',
);

/** A snapshot, and the name of the world that it belongs to. */
export type SnapshotRow = Snapshot & { world: string };

export const snapshot = resource(
  'Snapshot',
  'A saved state of a world.',
  ({ text, time, count }: Fields<SnapshotRow>) => ({
    name: text(),
    world: text(),
    created_at: time().from((row) => row.savedAt),
    size_bytes: count(),
  }),
).display(
  {
    name: 'Snapshot',
    world: 'World',
    created_at: 'Saved (real time)',
    size_bytes: ['Size', (item) => `${(item.size_bytes / 1_000_000).toFixed(1)} MB`, 'count'],
  },
  ['name', 'created_at', 'size_bytes'],
);
export const snapshotPage = countedPage(
  snapshot,
  'SnapshotPage',
  'snapshots',
  'One page of the snapshots, by name.',
);
