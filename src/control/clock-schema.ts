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
  { says: 'What was moved to, a line each about what fits, and where the clock stands.' },
  () => ({ met: z.literal(true), seen: z.array(z.string()), clock: clockSchema() }),
);
