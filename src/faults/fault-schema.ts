import { z } from 'zod';
import { count, idOf, page, record, time } from '../kernel/answer.ts';
import { REQUEST_EFFECTS, WEBHOOK_EFFECTS } from './fault-effects.ts';
import type { Field, FieldTable } from './fault-fields.ts';
import { MATCHERS } from './fault-matchers.ts';

export const faultSchema = record(
  'Fault',
  { says: 'An error or disturbance that is injected into requests or webhooks, and its hits.' },
  () => ({
    fault_id: idOf('flt'),
    match: fields(MATCHERS),
    effect: fields(REQUEST_EFFECTS).nullable(),
    webhook: fields(WEBHOOK_EFFECTS).nullable(),
    times: count().nullable(),
    hits: count(),
    created_at: time(),
  }),
);

export const faultPageSchema = page('FaultPage', 'faults', faultSchema);

export const faultsClearedSchema = record(
  'FaultsCleared',
  { says: 'Number of deleted faults.' },
  () => ({ cleared: count() }),
);

function fields(table: FieldTable) {
  return z.object(
    Object.fromEntries(
      Object.entries(table).map(([name, { field }]) => [name, fieldSchema(field)]),
    ),
  );
}

function fieldSchema(field: Field): z.ZodType {
  switch (field.type) {
    case 'flag':
      return z.boolean();
    case 'integer':
      return count().nullable();
    case 'fraction':
      return z.number().nullable();
    case 'choice':
      return z.enum(field.values).nullable();
    case 'text':
    case 'domain':
      return z.string().nullable();
  }
}
