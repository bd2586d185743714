import { InvalidArgumentError } from 'commander';
import {
  type FieldRow,
  type FieldTable,
  type FieldType,
  MATCHERS,
  MAX_COUNT,
  REQUEST_EFFECTS,
  TIMES,
  WEBHOOK_EFFECTS,
} from '../../faults/fault-fields.ts';
import { countOf } from '../../kernel/count.ts';
import { action, type CommandModule, command, exampleId, list, type Options } from '../command.ts';
import { callRoute } from '../endpoints.ts';
import { argument, type TypedOption, value, withValues } from '../options.ts';
import { durationMs, oneOf, type Parse, positiveFraction, wholeNumber } from '../parsers/values.ts';

const FAULT_ID = exampleId('flt');

const loadFault = async () => (await import('../../faults/fault.ts')).fault;

const clear = command('faults clear', {
  summary: 'Delete a fault, or all faults.',
  details: 'Faults of the configuration file are added again at the next start or reset.',
  args: { id: argument('[id]', 'Fault ID (default: all)') },
  examples: ['sandlot faults clear', `sandlot faults clear ${FAULT_ID}`],
  async run({ control, args, out }) {
    if (args.id === undefined) {
      const result = await callRoute(control(), 'DELETE /faults', {});
      return out.result(result, ({ cleared }) => `Deleted ${countOf(cleared, 'fault')}`);
    }
    const fault = await callRoute(control(), 'DELETE /faults/{fault_id}', { fault_id: args.id });
    out.result(fault, ({ fault_id }) => `Deleted fault ${fault_id}`);
  },
});

export const faults: CommandModule = {
  group: 'Faults',
  nouns: { faults: 'Inject errors, delays and closed connections.' },
  commands: [
    action('faults add', 'POST /faults', {
      details:
        'A request or webhook must match all match options. The other options say what happens. Faults are matched in the order in which they were added, and only the first that acts is injected.',
      resource: loadFault,
      optionFields: [],
      options: {
        ...faultOptions(MATCHERS, 'Match options:'),
        times: faultOption(TIMES, 'Match options:'),
        ...faultOptions(REQUEST_EFFECTS, 'Effects:'),
        webhook: value(
          '--webhook <effect>',
          `Inject into webhooks: ${Object.values(WEBHOOK_EFFECTS)
            .map((row) => row.option)
            .join(', ')}; repeatable`,
          Object.assign((text: string) => webhookEffect(text), {
            values: Object.values(WEBHOOK_EFFECTS).map((row) => row.option.replace(/=.*/, '=')),
          }),
        )
          .repeatable()
          .helpGroup('Effects:'),
      } as Options,
      input: ({ options }) => {
        const webhook = Object.fromEntries(options.webhook as [string, unknown][]);
        return {
          match: pick(options, MATCHERS),
          effect: unlessEmpty(pick(options, REQUEST_EFFECTS)),
          webhook: unlessEmpty(webhook),
          times: options.times,
        };
      },
      examples: [
        'sandlot faults add --method POST --path /orders --code internal_error --first 3',
        'sandlot faults add --method POST --path /orders --drop after --times 1',
        'sandlot faults add --path "/domains/*" --status 429 --probability 0.2',
        'sandlot faults add --event order.recorded --webhook delay=10m --webhook duplicate',
      ],
    }),
    list('faults list', 'GET /faults', {
      resource: loadFault,
      examples: ['sandlot faults list', 'sandlot faults list --world default --json'],
    }),
    clear,
  ],
};

function pick(options: Record<string, unknown>, table: FieldTable): Record<string, unknown> {
  const isSet = ([name, option]: [string, unknown]) =>
    Object.hasOwn(table, name) && option !== undefined;
  return Object.fromEntries(Object.entries(options).filter(isSet));
}

function unlessEmpty(values: object): object | undefined {
  return Object.keys(values).length > 0 ? values : undefined;
}

function faultOptions(table: FieldTable, group: string): Record<string, TypedOption<unknown>> {
  return Object.fromEntries(
    Object.entries(table).map(([name, row]) => [name, faultOption(row, group)]),
  );
}

function faultOption({ option, help, field }: FieldRow, group: string): TypedOption<unknown> {
  const text = field.type === 'choice' ? withValues(help, field.values) : help;
  return value(option, text, parserOf(field)).helpGroup(group);
}

/** Reads an effect of `--webhook`: `drop`, `delay=10m`. */
function webhookEffect(text: string): [name: string, value: unknown] {
  const effects: { name: string; word: string; field: FieldType }[] = Object.entries(
    WEBHOOK_EFFECTS,
  ).map(([name, { option, field }]) => ({ name, word: option.replace(/=.*/, ''), field }));
  const [, typedWord = text, value] = /^([^=]*)=(.*)$/.exec(text) ?? [];
  const word = oneOf(effects.map((effect) => effect.word))(typedWord);
  const { name = word, field } = effects.find((effect) => effect.word === word) ?? {};
  if (field && field.type !== 'flag') return [name, parserOf(field)(value ?? '')];
  if (value === undefined || value === 'true') return [name, true];
  throw new InvalidArgumentError(`Expected ${typedWord} without a value.`);
}

function parserOf(field: FieldType): Parse<unknown> {
  switch (field.type) {
    case 'integer': {
      const { min = 1, max = MAX_COUNT, unit } = field;
      return unit === 'milliseconds' ? durationMs(min, max) : wholeNumber(min, max);
    }
    case 'fraction':
      return positiveFraction;
    case 'choice':
      return oneOf(field.values);
    // Only effects of webhooks are flags, and `webhookEffect` reads those.
    case 'flag':
    case 'text':
    case 'domain':
      return (text) => text;
  }
}
