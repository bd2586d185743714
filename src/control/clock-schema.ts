import { z } from 'zod';
import { nextCursor, record, time } from '../kernel/answer.ts';

export const clockSchema = record(
  'Clock',
  { says: 'Sandbox time, its distance from real time in ms, and whether it stands still.' },
  () => ({ now: time(), offset_ms: z.int(), frozen: z.boolean() }),
);

const upcomingSchema = record(
  'Upcoming',
  { says: 'Something that happens, or lapses, when the clock gets there.' },
  () => ({
    kind: z.enum(['delivery', 'order_move', 'quote_expiry', 'checkout_expiry']),
    at: time(),
    id: z.string(),
    what: z.string(),
  }),
);

export const upcomingPageSchema = record(
  'UpcomingPage',
  { says: 'What falls due, soonest first.' },
  () => ({ upcoming: z.array(upcomingSchema()), next_cursor: nextCursor() }),
);

export const reachedSchema = record('Reached', { says: 'What the clock was moved to.' }, () => ({
  reached: upcomingSchema(),
  clock: clockSchema(),
}));

export const untilSchema = record(
  'Until',
  {
    says: 'Whether the goal was reached, what was seen (nearest misses first if it was not), why it was not reached, and the clock as it is now.',
  },
  () => ({
    reached: z.boolean(),
    seen: z.array(z.string()),
    reason: z.string().nullable(),
    clock: clockSchema(),
  }),
);
