import { Argument, InvalidArgumentError, Option } from 'commander';
import { ENVIRONMENTS } from '../store/schema/enums.ts';
import { oneOf, type Parse, wholeNumber } from './parsers/values.ts';

export const COMMON_GROUP = 'Common options:';

/** Longer lists of values are not in the help, only in completions and errors. */
const MAX_LISTED_CHARACTERS = 60;

/** Adds the values of an option or argument to its text, if they are few. */
export function withValues(text: string, values: readonly string[]): string {
  return values.join().length > MAX_LISTED_CHARACTERS ? text : `${text}: ${values.join(', ')}`;
}

/** What an option or argument has in addition to commander's properties. */
export interface TypedInput {
  /** Reads the text. */
  parse: Parse<unknown>;
}

/** An option of commander whose value is a `T`. */
export class TypedOption<T> extends Option implements TypedInput {
  readonly parse: Parse<unknown>;
  /** Its value if it is left out. A command that finds its own default names it in the description: `(default: …)`. */
  ifUnset: unknown;
  /** Exists only for type inference. */
  declare readonly valueType: T;

  constructor(flags: string, description: string, ifUnset: unknown, parse: Parse<unknown> = asIs) {
    super(flags, description);
    this.ifUnset = ifUnset;
    this.parse = parse;
    // It takes a value: `--name <x>`.
    if (this.required) this.argParser((text: string) => parseText(parse, text));
  }

  asMandatory(): TypedOption<Exclude<T, undefined>> {
    this.makeOptionMandatory();
    return this as never;
  }

  /** @param text the default, as a user would type it */
  withDefault(text: string): TypedOption<Exclude<T, undefined>> {
    this.ifUnset = this.parse(text);
    this.default(this.ifUnset, text);
    return this as never;
  }

  /** Collects the values if the option is repeated. */
  repeatable(): TypedOption<Exclude<T, undefined>[]> {
    const { parse } = this;
    this.ifUnset = [];
    this.argParser((text: string, before: unknown[] = []) => [...before, parseText(parse, text)]);
    return this as never;
  }
}

export class TypedArgument<T> extends Argument implements TypedInput {
  parse: Parse<unknown> = asIs;
  /** Exists only for type inference. */
  declare readonly valueType: T;
}

/** @param flags `<id>`, or `[id]` if it may be missing; `<words...>` or `[words...]` for all further words */
export function argument(
  flags: `<${string}...>` | `[${string}...]`,
  description: string,
  parseWord?: Parse<string>,
): TypedArgument<string[]>;
export function argument(
  flags: `[${string}]`,
  description: string,
): TypedArgument<string | undefined>;
export function argument(flags: string, description: string): TypedArgument<string>;
export function argument<T>(flags: string, description: string, parse: Parse<T>): TypedArgument<T>;
export function argument(
  flags: string,
  description: string,
  parse: Parse<unknown> = asIs,
): TypedArgument<unknown> {
  const input = new TypedArgument<unknown>(flags, description);
  input.parse = parse;
  // Other words than the first can be empty: they may be arguments of a program.
  const collect = (text: string, before?: unknown[]) =>
    before ? [...before, parse(text)] : [parseText(parse, text)];
  input.argParser(input.variadic ? (collect as never) : (text: string) => parseText(parse, text));
  return input;
}

export function text(flags: string, description: string): TypedOption<string | undefined> {
  return new TypedOption(flags, description, undefined);
}

export function value<T>(
  flags: string,
  description: string,
  parse: Parse<T>,
): TypedOption<T | undefined> {
  return new TypedOption(flags, description, undefined, parse);
}

/** A boolean option, false by default; `--no-…` is true by default. */
export function flag(flags: string, description: string): TypedOption<boolean> {
  return new TypedOption(flags, description, flags.startsWith('--no-'));
}

/** Like `flag`, but undefined by default. Its `--no-…`, a toggle of its own, sets the value of this one to false. */
export function toggle(flags: string, description: string): TypedOption<boolean | undefined> {
  return new TypedOption(flags, description, undefined);
}

export function choice<const Value extends string>(
  flags: string,
  description: string,
  values: readonly Value[],
): TypedOption<Value | undefined> {
  return value(flags, description, oneOf(values));
}

export function count(
  flags: string,
  description: string,
  min: number,
  max?: number,
): TypedOption<number | undefined> {
  return value(flags, description, wholeNumber(min, max));
}

export function port(description: string): TypedOption<number | undefined> {
  return count('--port <number>', description, 0, 65_535);
}

/** @throws InvalidArgumentError, also if the value of an argument or option is empty or missing */
function parseText(parse: Parse<unknown>, text: string): unknown {
  // `exec --golive -- npm test`: commander takes the next word, whatever it is.
  if (text === '--') throw new InvalidArgumentError('The value is missing.');
  if (text !== '') return parse(text);
  throw new InvalidArgumentError('It must not be empty; is a shell variable unset?');
}

function asIs(text: string): string {
  return text;
}

export const nonEmpty: Parse<string> = (text) => parseText(asIs, text) as string;

/** Replaces the common --world in commands that cover all worlds by default. */
export const WORLD_OR_ALL = text('--world <name>', 'World to use (default: all)').helpGroup(
  COMMON_GROUP,
);

export const ENVIRONMENT = choice(
  '--env <environment>',
  'SANDBOX or LIVE (default: SANDBOX)',
  ENVIRONMENTS,
);
