import { shellQuote } from '../client/curl.ts';
import { formatExactDuration } from '../kernel/time.ts';
import {
  type FieldRow,
  type FieldTable,
  fieldsWithValue,
  MATCHERS,
  REQUEST_EFFECTS,
  TIMES,
  WEBHOOK_EFFECTS,
} from './fault-fields.ts';
import type { FaultInput } from './validate-fault.ts';

/** Returns the command that adds a fault. */
export function faultCommand({ match, effect = {}, webhook = {}, times }: FaultInput): string {
  return [
    'sandlot faults add',
    ...optionsOf(MATCHERS, match),
    ...optionsOf(REQUEST_EFFECTS, effect),
    ...fieldsWithValue(WEBHOOK_EFFECTS, webhook).map(({ row, value }) => {
      const [word = ''] = row.option.split('='); // `delay` of `delay=10m`
      return `--webhook ${row.field.type === 'flag' ? word : `${word}=${textOf(row, value)}`}`;
    }),
    ...optionsOf({ times: TIMES }, { times }),
  ].join(' ');
}

function optionsOf(table: FieldTable, values: object): string[] {
  return fieldsWithValue(table, values).map(({ row, value }) => {
    const [flag = ''] = row.option.split(' ');
    return `${flag} ${shellQuote(textOf(row, value))}`;
  });
}

function textOf({ field }: FieldRow, value: never): string {
  const isDuration = field.type === 'integer' && field.unit === 'milliseconds';
  return isDuration ? formatExactDuration(value).replaceAll(' ', '') : String(value);
}
