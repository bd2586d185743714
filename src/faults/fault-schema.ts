import { z } from 'zod';
import { EVENT_TYPES } from '../events/catalogue.ts';
import { count, idOf, page, record, time } from '../kernel/answer.ts';
import { ERROR_CODES } from '../kernel/errors.ts';
import { DROPS } from '../store/schema/words.ts';

export const faultSchema = record(
  'Fault',
  { says: 'A rule by which calls or webhook deliveries go wrong, and how often it has hit.' },
  () => ({
    fault_id: idOf('flt'),
    match: z.object({
      method: z.string().nullable(),
      path: z.string().nullable(),
      domain: z.string().nullable(),
      key_id: z.string().nullable(),
      event: z.enum(EVENT_TYPES).nullable(),
      first: count().nullable(),
      every: count().nullable(),
      probability: z.number().nullable(),
    }),
    effect: z
      .object({
        status: count().nullable(),
        code: z.enum(ERROR_CODES).nullable(),
        delay_ms: count().nullable(),
        drop: z.enum(DROPS).nullable(),
        truncate: count().nullable(),
      })
      .nullable(),
    webhook: z
      .object({
        delay_ms: count().nullable(),
        duplicate: z.boolean(),
        reorder: z.boolean(),
        drop: z.boolean(),
        corrupt_signature: z.boolean(),
      })
      .nullable(),
    times: count().nullable(),
    hits: count(),
    created_at: time(),
  }),
);

export const faultPageSchema = page('FaultPage', 'faults', faultSchema);

export const faultsClearedSchema = record(
  'FaultsCleared',
  { says: 'How many rules were taken away.' },
  () => ({ cleared: count() }),
);
