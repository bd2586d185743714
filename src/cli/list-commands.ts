import type { Filter, List } from '../control/lists.ts';
import type { Display } from '../kernel/columns.ts';
import { type Command, list, show } from './command.ts';
import { choice, type TypedArgument, type TypedOption, text, value } from './options.ts';
import { isoTimeText } from './parsers/values.ts';

interface Declaration<Item> {
  resource(): Promise<Display<Item>>;
  examples: readonly string[];
}

/** Makes the command of a list endpoint: its options are the filters of the list. */
export function listCommand<Item>(noun: string, declared: List, more: Declaration<Item>): Command {
  const { path, items, many, filters } = declared;
  const options = Object.entries(filters).map(([name, filter]) => [name, optionFor(name, filter)]);
  return list(`${noun} list`, `GET ${path}`, {
    summary: `List ${many}, newest first.`,
    items,
    many,
    options: Object.fromEntries(options) as Record<string, TypedOption<unknown>>,
    ...more,
  });
}

/** Makes the command that shows one item of a list. */
export function showCommand<Item>(
  noun: string,
  { path, one }: List,
  more: Declaration<Item> & { id: TypedArgument<string> },
): Command {
  const { id, ...declared } = more;
  return show(`${noun} show`, `GET ${path}/:id`, {
    summary: `Show a ${one}.`,
    args: { id },
    ...declared,
  });
}

function optionFor(name: string, { option, summary, values, kind }: Filter): TypedOption<unknown> {
  if (values) return choice(option, summary, values);
  if (kind === 'time') return value(option, summary, isoTimeText);
  const named = text(option, summary);
  if (name === 'partner_id') return named.naming('partner');
  return kind === 'domain' ? named.naming('domain') : named;
}
