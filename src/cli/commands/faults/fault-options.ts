import { WEBHOOK_EFFECTS } from '../../../faults/fault-effects.ts';
import {
  type Field,
  type FieldRow,
  type FieldTable,
  MAX_COUNT,
} from '../../../faults/fault-fields.ts';
import { formatDuration } from '../../../kernel/time.ts';
import { type OptionDeclaration, option, type Parse } from '../../declare.ts';
import { InvalidValueError } from '../../failures.ts';
import { duration, oneOf, positiveFraction, wholeNumber } from '../../values.ts';

/** One option for each field of a table. */
export function optionsOf(table: FieldTable): Record<string, OptionDeclaration<unknown>> {
  return Object.fromEntries(Object.entries(table).map(([name, row]) => [name, optionOf(row)]));
}

export function optionOf({ option: flags, help, field }: FieldRow): OptionDeclaration<unknown> {
  return option(flags, help, parserOf(field));
}

/** Reads one effect of `--webhook`: `drop`, `delay=10m`. */
export const webhookEffect: Parse<[name: string, value: unknown]> = (text) => {
  const [, word = text, value] = /^([^=]*)=(.*)$/.exec(text) ?? [];
  const known = oneOf([...WORDS.keys()])(word);
  const [name, field] = WORDS.get(known) ?? [known, undefined];
  if (field && field.type !== 'flag') return [name, parserOf(field)(value ?? '')];
  if (value === undefined || value === 'true') return [name, true];
  throw new InvalidValueError(`Expected ${word} without a value.`);
};

/** The words of `--webhook`, each with the field that it sets. */
const WORDS = new Map(
  Object.entries(WEBHOOK_EFFECTS).map(([name, { option, field }]): [string, [string, Field]] => [
    option.replace(/=.*/, ''),
    [name, field],
  ]),
);

function parserOf(field: Field): Parse<unknown> {
  switch (field.type) {
    case 'integer': {
      const { min = 1, max = MAX_COUNT, unit } = field;
      return unit === 'milliseconds' ? duration(max, formatDuration(max)) : wholeNumber(min, max);
    }
    case 'fraction':
      return positiveFraction;
    case 'choice':
      return oneOf(field.values);
    case 'flag':
      return oneOf(['true', 'false']);
    case 'text':
    case 'domain':
      return (text) => text;
  }
}
