import { z } from 'zod';
import { nextCursor, record, time } from '../kernel/answer.ts';
import { clockSchema } from './clock-schema.ts';

export const worldSchema = record('World', { says: 'An isolated marketplace.' }, () => ({
  name: z.string(),
  seed: z.string(),
  clock: clockSchema(),
  created_at: time(),
}));

export const worldPageSchema = record('WorldPage', { says: 'Every world.' }, () => ({
  worlds: z.array(worldSchema()),
  next_cursor: nextCursor(),
}));
