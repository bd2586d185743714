import { z } from 'zod';
import { countedPage, type Fields, type Output, resource } from '../kernel/resource.ts';
import {
  type FieldTable,
  type FieldType,
  fieldsWithValue,
  MATCHERS,
  REQUEST_EFFECTS,
  type ViewOf,
  viewFields,
  WEBHOOK_EFFECTS,
} from './fault-fields.ts';
import type { FaultRow } from './faults.ts';

const faultResource = resource(
  'Fault',
  'An error or disturbance that is injected into requests or webhooks, and its hits.',
  ({ text, value, count, time }: Fields<FaultRow>) => {
    const fields = <Table extends FieldTable>(table: Table) =>
      value(() => schemaOf(table) as unknown as z.ZodType<ViewOf<Table>>);
    return {
      fault_id: text().from((row) => row.id),
      match: fields(MATCHERS).from(({ match }) => viewFields(MATCHERS, match)),
      effect: fields(REQUEST_EFFECTS)
        .nullable()
        .from(({ effect }) => effect && viewFields(REQUEST_EFFECTS, effect)),
      webhook: fields(WEBHOOK_EFFECTS)
        .nullable()
        .from(({ webhook }) => webhook && viewFields(WEBHOOK_EFFECTS, webhook)),
      times: count().nullable(),
      hits: count(),
      created_at: time(),
    };
  },
);
export type Fault = Output<typeof faultResource>;

export const fault = faultResource.display({
  fault_id: 'Fault',
  match: ['Match', describeMatch],
  effect: ['Effect', describeEffect],
  hits: ['Hits', describeHits, 'count'],
});
export const faultPage = countedPage(fault, 'FaultPage', 'faults');

export const clearedFaults = resource(
  'FaultsCleared',
  'The number of deleted faults.',
  ({ count }: Fields<{ cleared: number }>) => ({ cleared: count() }),
);

/** `POST /orders, first 3`. */
export function describeMatch({ match, webhook }: Fault): string {
  const { method, path, event, ...others } = match;
  const subject = [method, path, event].filter((value) => value !== null).join(' ');
  const fallback = webhook ? 'every webhook' : 'every request';
  return [subject || fallback, ...describeFields(MATCHERS, others)].join(', ');
}

/** `429 rate_limited, delay 2s`. */
function describeEffect({ effect, webhook }: Fault): string {
  if (webhook) return describeFields(WEBHOOK_EFFECTS, webhook).join(', ');
  const { status, code, ...others } = effect ?? {};
  const error = code ? [`${status} ${code}`] : [];
  return [...error, ...describeFields(REQUEST_EFFECTS, others)].join(', ');
}

/** `2 of 3`. */
function describeHits({ hits, times }: Fault): string {
  return times === null ? String(hits) : `${hits} of ${times}`;
}

function describeFields(table: FieldTable, values: object): string[] {
  return fieldsWithValue(table, values).flatMap(
    ({ name, row: { describe, field, needs }, value }) => {
      if (needs !== undefined) return [];
      if (describe) return describe(value, values as never);
      return field.type === 'flag' ? name : `${name} ${value}`;
    },
  );
}

function schemaOf(table: FieldTable) {
  const schemas = Object.entries(table).map(([name, { field }]) => [name, fieldSchema(field)]);
  return z.object(Object.fromEntries(schemas));
}

function fieldSchema(field: FieldType): z.ZodType {
  switch (field.type) {
    case 'flag':
      return z.boolean();
    case 'integer':
      return z.int().min(0).nullable();
    case 'fraction':
      return z.number().nullable();
    case 'choice':
      return z.enum(field.values).nullable();
    case 'text':
    case 'domain':
      return z.string().nullable();
  }
}
