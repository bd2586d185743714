import type { Command, Help, Option } from 'commander';

/** A command in a list: its name and arguments, without its options. */
export function subcommandTerm(command: Command): string {
  const args = command.registeredArguments.map((argument) => {
    const name = argument.name() + (argument.variadic ? '...' : '');
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [command.name(), ...args].join(' ');
}

/** The help of the program, or of a noun: commands by section first, options last. */
export function groupedHelp(program: Command, helper: Help): string {
  const width = helper.padWidth(program, helper);
  const sections = helper.groupItems(
    [...program.commands],
    helper.visibleCommands(program).filter((each) => each.name() !== 'help'),
    (each) => each.helpGroup() || 'Commands:',
  );
  const options = helper.groupItems(
    [...program.options],
    helper.visibleOptions(program),
    (each: Option) => each.helpGroupHeading ?? 'Options:',
  );
  const list = (heading: string, items: readonly (readonly [term: string, text: string])[]) =>
    helper.formatItemList(
      heading,
      items.map(([term, text]) => helper.formatItem(term, width, text, helper)),
      helper,
    );
  return [
    `Usage: ${helper.commandUsage(program)}`,
    '',
    helper.commandDescription(program),
    '',
    ...[...sections].flatMap(([heading, commands]) =>
      list(
        heading,
        commands.map((each) => [helper.subcommandTerm(each), helper.subcommandDescription(each)]),
      ),
    ),
    ...[...options].flatMap(([heading, each]) =>
      list(
        heading,
        each.map((one) => [helper.optionTerm(one), helper.optionDescription(one)]),
      ),
    ),
    `${helper.commandUsage(program).split(/ [<[]/)[0]} <command> --help tells more, with examples.`,
    '',
  ].join('\n');
}
