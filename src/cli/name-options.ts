import type { Command } from './command.ts';
import type { TypedInput } from './options.ts';

/** A field of the control API at the start of an error: `match.method: …`. */
const FIELD = /^([a-z_]+(?:\.[\w-]+)*): /;

/**
 * Returns an error of the control API in terms of what the user typed: the field at its start, and fields in backticks,
 * become the options and arguments of the command that set them.
 */
export function nameOptions(message: string, command: Command | undefined): string {
  const inputs = inputsOf(command);
  const named = message.replace(FIELD, (start, field: string) => {
    const input = inputOf(field, inputs);
    return input === undefined ? start : `${input}: `;
  });
  return named.replace(/`([a-z_]+)`/g, (quoted, field: string) => inputs.get(field) ?? quoted);
}

/** Returns the field at the start of an error. */
export function fieldOf(message: string): string | undefined {
  return FIELD.exec(message)?.[1];
}

/** Looks for a field, then for the object that it is in, then for its own name. */
function inputOf(field: string, inputs: ReadonlyMap<string, string>): string | undefined {
  const [first = ''] = field.split('.', 1);
  return inputs.get(field) ?? inputs.get(first) ?? inputs.get(field.slice(first.length + 1));
}

/** Returns the inputs of a command as its help spells them, by the fields that they set. */
function inputsOf({ args = {}, options = {} }: Pick<Command, 'args' | 'options'> = {}) {
  const inputs = new Map<string, string>([['world', '--world']]);
  const add = (key: string, { fields }: TypedInput, spelled: string) => {
    for (const field of [key, ...fields]) inputs.set(field, spelled);
  };
  for (const [key, option] of Object.entries(options)) add(key, option, option.long ?? key);
  for (const [key, argument] of Object.entries(args)) add(key, argument, `<${argument.name()}>`);
  return inputs;
}
