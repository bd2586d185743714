import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { didYouMean } from '../kernel/did-you-mean.ts';
import type { CommandDeclaration } from './command.ts';
import { addCommonOptions, type CommonValues, commonValues } from './common-options.ts';
import type { OptionDeclaration, Parse } from './declare.ts';
import { InvalidValueError, UsageError } from './failures.ts';
import { assertNotEmpty, EMPTY } from './not-empty.ts';

/** A command line that was understood. */
export interface Invocation {
  declaration: CommandDeclaration;
  args: Record<string, unknown>;
  options: Record<string, unknown>;
  common: CommonValues;
}

export type Invoke = (invocation: Invocation) => Promise<void>;

/** Makes commander's command of a declaration. Verbs below it are there already. */
export function declareCommand(
  command: Command,
  declaration: CommandDeclaration,
  invoke: Invoke,
): void {
  const { summary, details, examples, args = {}, options = {} } = declaration;
  command.summary(summary).description(details ? `${summary}\n\n${details}` : summary);
  for (const [name, { description, required, variadic, parse }] of Object.entries(args)) {
    const shown = `${name.replaceAll('_', '-')}${variadic ? '...' : ''}`;
    const argument = new Argument(required ? `<${shown}>` : `[${shown}]`, description);
    if (!variadic) argument.argParser((text: string) => parsed(parse, text));
    command.addArgument(argument);
  }
  const declared = Object.entries(options).map(([key, each]) => {
    const option = commanderOption(each);
    command.addOption(option);
    return { key, name: option.attributeName(), absent: each.absent };
  });
  const own = declared.map(({ name }) => name);
  addCommonOptions(command, own);
  if (declaration.passThrough) command.passThroughOptions();
  // A mistyped verb is an argument to commander; it is told apart below.
  const hasVerbs = command.commands.length > 0;
  if (hasVerbs) command.allowExcessArguments();
  command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`);
  command.action(async () => {
    const names = Object.keys(args);
    assertFirstNotEmpty(command, args);
    if (hasVerbs && command.args.length > names.length) rejectVerb(command);
    const values = command.opts<Record<string, unknown>>();
    await invoke({
      declaration,
      args: Object.fromEntries(names.map((name, index) => [name, command.processedArgs[index]])),
      options: Object.fromEntries(
        declared.map(({ key, name, absent }) => [key, values[name] ?? absent]),
      ),
      common: commonValues(command, own),
    });
  });
}

function commanderOption(each: OptionDeclaration<unknown>): Option {
  const { flags, description, parse, repeatable, required, absent, shownDefault } = each;
  const option = new Option(flags, description);
  if (parse) {
    option.argParser((text: string, before: unknown) => {
      const value = parsed(parse, text);
      return repeatable ? [...(Array.isArray(before) ? before : []), value] : value;
    });
  }
  if (shownDefault !== undefined) option.default(absent, shownDefault);
  return required ? option.makeOptionMandatory() : option;
}

function parsed(parse: Parse<unknown>, text: string): unknown {
  assertNotEmpty(text);
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof InvalidValueError) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

/** Checks the first word of a variadic argument; the others belong to a program that may take empty ones. */
function assertFirstNotEmpty(
  command: Command,
  args: NonNullable<CommandDeclaration['args']>,
): void {
  for (const [index, [name, { variadic }]] of Object.entries(args).entries()) {
    if (variadic && command.args[index] === '') throw new UsageError(`<${name}>: ${EMPTY}`);
  }
}

function rejectVerb(command: Command): never {
  const [typed = ''] = command.args;
  const verbs = command.commands.map((each) => each.name());
  throw new UsageError(
    `there is no command "${command.name()} ${typed}"; expected one of ${verbs.join(', ')}.${didYouMean(typed, verbs)}`,
  );
}
