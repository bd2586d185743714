import { readFixture } from '../kernel/fixture.ts';
import { VERSION } from '../version.ts';
import type { Command, CommandModule } from './command.ts';
import type { TypedArgument, TypedOption } from './options.ts';
import { commonOptions, PROGRAM_SUMMARY } from './program.ts';

const EXIT_CODES = {
  0: 'success',
  1: 'the sandbox rejected the call, or a check failed',
  2: 'wrong usage: an invalid option, argument or file',
  3: 'no sandbox responds',
} as const;

/** Returns the help of all commands as data: `sandlot --help --json`. */
export function helpDocument(modules: readonly CommandModule[]) {
  return {
    name: 'sandlot',
    version: VERSION,
    summary: PROGRAM_SUMMARY,
    exit_codes: EXIT_CODES,
    common_options: commonOptions().map(describeOption),
    commands: modules.flatMap(({ group, commands }) =>
      commands.map((command) => ({ group, ...describeCommand(command) })),
    ),
  };
}

function describeCommand({ path, summary, details, args = {}, options = {}, ...command }: Command) {
  return {
    command: path,
    summary,
    details: details ?? null,
    changes: !command.readOnly,
    arguments: Object.values(args).map(describeArgument),
    options: Object.values(options).map(describeOption),
    examples: command.examples,
  };
}

function describeArgument(argument: TypedArgument<unknown>) {
  const { description, required, variadic, parse } = argument;
  const name = argument.name();
  return { name, description, required, variadic, values: parse.values ?? null };
}

/** Describes an option. Its `default` is the text that its help names, or else the value without the option. */
function describeOption(option: TypedOption<unknown>) {
  const { flags, long, description, mandatory, ifUnset, defaultValueDescription, parse } = option;
  const describedDefault = /\(default: ([^)]+)\)/.exec(description)?.[1];
  return {
    option: long,
    flags,
    description,
    required: mandatory,
    repeatable: Array.isArray(ifUnset),
    values: parse.values ?? null,
    default: describedDefault ?? defaultValueDescription ?? ifUnset ?? null,
  };
}

/** Returns a command with its arguments: `orders show ID`. */
export function usageOf({ path, args }: Pick<Command, 'path' | 'args'>): string {
  const names = Object.values(args ?? {}).map((argument) => {
    const placeholder = `${argument.name().toUpperCase()}${argument.variadic ? '…' : ''}`;
    return argument.required ? placeholder : `[${placeholder}]`;
  });
  return [path, ...names].join(' ');
}

/** Returns a skill for coding agents, in the format of SKILL.md: how to set up and use a sandbox. */
export function skillText(modules: readonly CommandModule[]): string {
  const groups = Map.groupBy(modules, ({ group }) => group);
  const tables = [...groups].map(([group, modules]) => {
    const rows = modules.flatMap(({ commands }) => commands.map(commandRow));
    return `### ${group}\n\n| command | options | |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `${readFixture('templates/skill.md')}\n${tables.join('\n')}`;
}

function commandRow(command: Command): string {
  const options = Object.values(command.options ?? {}).map(({ long }) => `\`${long}\``);
  return `| \`${usageOf(command)}\` | ${options.join(' ')} | ${command.summary} |`;
}
