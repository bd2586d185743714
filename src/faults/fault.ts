import { z } from 'zod';
import { countedPage, type Fields, type Output, resource } from '../kernel/resource.ts';
import { REQUEST_EFFECTS, WEBHOOK_EFFECTS } from './fault-effects.ts';
import {
  type FieldRow,
  type FieldTable,
  type FieldType,
  givenFields,
  type ViewOf,
  viewFields,
} from './fault-fields.ts';
import { FILTERS, type FilterRow, MATCHERS, OCCURRENCES } from './fault-matchers.ts';
import type { FaultRow } from './faults.ts';

const fields = resource(
  'Fault',
  'An error or disturbance that is injected into requests or webhooks, and its hits.',
  ({ id, value, count, time }: Fields<FaultRow>) => {
    const fields = <Table extends FieldTable>(table: Table) =>
      value(() => schemaOf(table) as unknown as z.ZodType<ViewOf<Table>>);
    return {
      fault_id: id('flt').from((row) => row.id),
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
export type Fault = Output<typeof fields>;

export const fault = fields.display({
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
  const subject = describeFields(FILTERS, match, (row: FilterRow) => row.subject === true);
  return [
    subject.join(' ') || (webhook ? 'every webhook' : 'every request'),
    ...describeFields(FILTERS, match, (row: FilterRow) => row.subject !== true),
    ...describeFields(OCCURRENCES, match),
  ].join(', ');
}

/** `429 rate_limited, delay 2s`. */
function describeEffect({ effect, webhook }: Fault): string {
  const described = webhook
    ? describeFields(WEBHOOK_EFFECTS, webhook)
    : describeFields(REQUEST_EFFECTS, effect ?? {});
  return described.join(', ');
}

/** `2 of 3`. */
function describeHits({ hits, times }: Fault): string {
  return times === null ? String(hits) : `${hits} of ${times}`;
}

function describeFields<Row extends FieldRow>(
  table: Readonly<Record<string, Row>>,
  values: object,
  isWanted: (row: Row) => boolean = () => true,
): string[] {
  return givenFields(table, values)
    .filter(({ row }) => isWanted(row))
    .flatMap(({ row, value }) => row.describe?.(value, values as never) ?? []);
}

function schemaOf(table: FieldTable) {
  return z.object(
    Object.fromEntries(
      Object.entries(table).map(([name, { field }]) => [name, fieldSchema(field)]),
    ),
  );
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
