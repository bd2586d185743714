import type { Fault } from '../../../faults/fault.ts';
import { REQUEST_EFFECTS, WEBHOOK_EFFECTS } from '../../../faults/fault-effects.ts';
import type { FieldTable } from '../../../faults/fault-fields.ts';
import { filtersOf, MATCHERS, TIMES } from '../../../faults/fault-matchers.ts';
import { defineCommand } from '../../command.ts';
import { repeatedOption } from '../../declare.ts';
import { optionOf, optionsOf, webhookEffect } from './fault-options.ts';
import { showFault } from './show-fault.ts';

const words = Object.values(WEBHOOK_EFFECTS).map((row) => row.option);

export const addFault = defineCommand({
  path: 'faults add',
  summary: 'Add a fault to partner API requests, or to webhooks.',
  details: `Select requests with ${flagsOf(filtersOf('request'))}; inject with ${flagsOf(REQUEST_EFFECTS)}. Select webhooks with ${flagsOf(filtersOf('webhook'))}; inject with --webhook. Every given option must match. Faults are matched in the order in which they were added, and only the first that acts is injected.`,
  options: {
    ...optionsOf(MATCHERS),
    times: optionOf(TIMES),
    ...optionsOf(REQUEST_EFFECTS),
    webhook: repeatedOption(
      '--webhook <effect>',
      `Inject into webhooks: ${words.join(', ')}; repeatable`,
      webhookEffect,
    ),
  },
  examples: [
    'sandlot faults add --method POST --path /orders --code internal_error --first 3',
    'sandlot faults add --path /orders --drop after --times 1',
    'sandlot faults add --path "/domains/*" --status 429 --probability 0.2',
    'sandlot faults add --event order.recorded --webhook delay=10m --webhook duplicate',
  ],
  async run({ control, options, out }) {
    const { times, webhook } = options;
    const fault = await control().post<Fault>('/faults', {
      match: pick(options, MATCHERS),
      effect: unlessEmpty(pick(options, REQUEST_EFFECTS)),
      webhook: unlessEmpty(Object.fromEntries(webhook as [string, unknown][])),
      times,
    });
    out.result(fault, showFault);
  },
});

function pick(options: Record<string, unknown>, table: FieldTable): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(table).flatMap((name) =>
      options[name] === undefined ? [] : [[name, options[name]]],
    ),
  );
}

function unlessEmpty(values: object): object | undefined {
  return Object.keys(values).length > 0 ? values : undefined;
}

/** `--method, --path and --domain`. */
function flagsOf(table: FieldTable): string {
  const flags = Object.values(table).map(({ option }) => option.split(' ')[0] ?? '');
  return [flags.slice(0, -1).join(', '), flags.at(-1)].filter(Boolean).join(' and ');
}
