/** Reads one value. @throws InvalidValueError that says what was expected */
export type Parse<T> = (text: string) => T;

/** A positional argument that gives a `T`. */
export interface ArgumentDeclaration<T> {
  description: string;
  required: boolean;
  variadic: boolean;
  parse: Parse<unknown>;
  /** Only for the types. */
  readonly gives?: T;
}

/** An option that gives a `T`. */
export interface OptionDeclaration<T> {
  /** As commander writes them: `-n, --count <number>`. */
  flags: string;
  description: string;
  parse: Parse<unknown> | undefined;
  repeatable: boolean;
  required: boolean;
  /** What it gives when it is not used. */
  absent: unknown;
  /** How the help tells that. */
  shownDefault: string | undefined;
  /** Only for the types. */
  readonly gives?: T;
}

/** The values that a set of declarations gives, by its keys. */
export type ValuesOf<Declarations> = {
  [Key in keyof Declarations]: Declarations[Key] extends { readonly gives?: infer T } ? T : never;
};

const asIs: Parse<string> = (text) => text;

/** An argument that must be there. */
export function argument(description: string): ArgumentDeclaration<string>;
export function argument<T>(description: string, parse: Parse<T>): ArgumentDeclaration<T>;
export function argument(description: string, parse: Parse<unknown> = asIs) {
  return { description, required: true, variadic: false, parse };
}

/** An argument that may be left out. */
export function optionalArgument(description: string): ArgumentDeclaration<string | undefined> {
  return { description, required: false, variadic: false, parse: asIs };
}

/** All arguments from here on, at least one. */
export function restArguments(description: string): ArgumentDeclaration<string[]> {
  return { description, required: true, variadic: true, parse: asIs };
}

/** An option without a value; `--no-…` gives true unless it is used. */
export function flag(flags: string, description: string): OptionDeclaration<boolean> {
  return { ...plain(flags, description), absent: false };
}

/** An option without a value that says nothing unless it is used. `--no-…` of it is an option of its own. */
export function toggle(flags: string, description: string): OptionDeclaration<boolean | undefined> {
  return plain(flags, description);
}

/** An option with a value. */
export function option(flags: string, description: string): OptionDeclaration<string | undefined>;
export function option<T>(
  flags: string,
  description: string,
  parse: Parse<T>,
): OptionDeclaration<T | undefined>;
export function option(flags: string, description: string, parse: Parse<unknown> = asIs) {
  return { ...plain(flags, description), parse };
}

/** An option with a value that is there whether or not it is used. */
export function optionWithDefault<T>(
  flags: string,
  description: string,
  parse: Parse<T>,
  byDefault: string,
): OptionDeclaration<T> {
  return {
    ...plain(flags, description),
    parse,
    absent: parse(byDefault),
    shownDefault: byDefault,
  };
}

/** An option that the command cannot do without. */
export function requiredOption(flags: string, description: string): OptionDeclaration<string>;
export function requiredOption<T>(
  flags: string,
  description: string,
  parse: Parse<T>,
): OptionDeclaration<T>;
export function requiredOption(flags: string, description: string, parse: Parse<unknown> = asIs) {
  return { ...plain(flags, description), parse, required: true };
}

/** An option that may be used several times. */
export function repeatedOption<T>(
  flags: string,
  description: string,
  parse: Parse<T>,
): OptionDeclaration<T[]> {
  return { ...plain(flags, description), parse, repeatable: true, absent: [] };
}

function plain(flags: string, description: string): OptionDeclaration<never> {
  return {
    flags,
    description,
    parse: undefined,
    repeatable: false,
    required: false,
    absent: undefined,
    shownDefault: undefined,
  };
}
