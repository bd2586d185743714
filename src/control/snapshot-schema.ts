import { z } from 'zod';
import { count, page, record, time } from '../kernel/answer.ts';

export const snapshotSchema = record(
  'Snapshot',
  { says: 'A world as it was; `problem` says why it cannot be restored, where that is known.' },
  () => ({
    name: z.string(),
    world: z.string(),
    created_at: time().nullable(),
    clock: z.object({ now: time(), frozen: z.boolean() }).nullable(),
    size_bytes: count(),
    problem: z.string().nullable(),
  }),
);

export const snapshotPageSchema = page('SnapshotPage', 'snapshots', snapshotSchema);
