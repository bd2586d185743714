import type { Fault } from './fault.ts';
import { REQUEST_EFFECTS, WEBHOOK_EFFECTS } from './fault-effects.ts';
import { type FieldRow, givenFields } from './fault-fields.ts';
import { FILTERS, type FilterRow, OCCURRENCES } from './fault-matchers.ts';

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
export function describeEffect({ effect, webhook }: Fault): string {
  const described = webhook
    ? describeFields(WEBHOOK_EFFECTS, webhook)
    : describeFields(REQUEST_EFFECTS, effect ?? {});
  return described.join(', ');
}

/** `2 of 3`. */
export function describeHits({ hits, times }: Fault): string {
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
