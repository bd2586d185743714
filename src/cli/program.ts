import { Command as CommanderCommand } from 'commander';
import { didYouMean } from '../kernel/did-you-mean.ts';
import { escapeControls } from '../kernel/printable.ts';
import { VERSION } from '../version.ts';
import type { Command, CommandModule } from './command.ts';
import type { CommonValues } from './context.ts';
import { UsageError } from './errors.ts';
import { DEFAULT_WIDTH, type TextStream, widthOf } from './io.ts';
import { COMMON_GROUP, flag, text } from './options.ts';

interface Invocation {
  command: Command;
  args: Record<string, unknown>;
  options: Record<string, unknown>;
  common: CommonValues;
}

export const PROGRAM_SUMMARY = 'A local sandbox of the partner-facing domain-marketplace API.';

type Invoke = (invocation: Invocation) => Promise<void>;

/** Makes new options for each command, because `hideHelp` changes them. Their values are `CommonValues`. */
export const commonOptions = () =>
  [
    flag('--json', 'Print one JSON document on stdout'),
    text('--url <url>', 'Address of the sandbox (or SANDLOT_URL)'),
    text('--world <name>', 'World to use (default: default)'),
    text('--control-token <token>', 'Control token of the sandbox (or SANDLOT_CONTROL_TOKEN)'),
    text('--control-token-file <file>', 'Read the control token from a file').hideHelp(),
  ].map((option) => option.helpGroup(COMMON_GROUP));

/** Builds the commander program, which passes a valid command line to `invoke`. */
export function buildProgram(
  modules: readonly CommandModule[],
  streams: { stdout: TextStream; stderr: TextStream; colorError: (text: string) => string },
  invoke: Invoke,
): CommanderCommand {
  const program = new CommanderCommand('sandlot')
    .description(PROGRAM_SUMMARY)
    .version(VERSION, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Print this help')
    .helpCommand('help [command]', 'Print the help of a command')
    // Options belong to the command before them: `webhooks fire --url` is not the common --url.
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: (text) => streams.stdout.write(text),
      writeErr: (text) => streams.stderr.write(text),
      outputError: (text, write) =>
        write(escapeControls(text).replace(/^error:/, (word) => streams.colorError(word))),
      getOutHelpWidth: () => widthOf(streams.stdout) ?? DEFAULT_WIDTH,
      getErrHelpWidth: () => widthOf(streams.stderr) ?? DEFAULT_WIDTH,
    });
  addCommonOptions(program);
  for (const { group, nouns = {}, commands: moduleCommands } of modules) {
    program.commandsGroup(`${group}:`);
    for (const command of moduleCommands) addCommand(program, command, nouns, invoke);
  }
  const hint = '\nRun "sandlot <command> --help" for the options and examples of a command.';
  return program.addHelpText('after', hint);
}

function addCommand(
  program: CommanderCommand,
  command: Command,
  nouns: Readonly<Record<string, string>>,
  invoke: Invoke,
): void {
  const [noun = '', verb] = command.path.split(' ');
  const existingNoun = program.commands.find((child) => child.name() === noun);
  const parent = existingNoun ?? program.command(noun).helpCommand(false);
  if (verb === undefined) {
    configureCommand(parent, command, invoke);
    return;
  }
  const summary = nouns[noun];
  if (!existingNoun && summary !== undefined) {
    parent.description(summary).summary(summary);
    // Hidden here, because the help of each verb shows them.
    addCommonOptions(parent, { hidden: true });
  }
  // If the noun is a command itself, commander takes a misspelled verb for an argument.
  parent.allowExcessArguments();
  configureCommand(parent.command(verb).allowExcessArguments(false), command, invoke);
}

function configureCommand(target: CommanderCommand, command: Command, invoke: Invoke): void {
  const { summary, details, examples, args = {}, options = {} } = command;
  target.summary(summary).description(details === undefined ? summary : `${summary}\n\n${details}`);
  for (const argument of Object.values(args)) target.addArgument(argument);
  for (const option of Object.values(options)) target.addOption(option);
  addCommonOptions(target, { without: command.startsSandbox ? ['url', 'world'] : [] });
  if (command.passThrough) target.passThroughOptions();
  target.addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`);
  target.action(async () => {
    const names = Object.keys(args);
    const verb = target.args[names.length];
    if (verb !== undefined && target.commands.length > 0) {
      const verbs = target.commands.map((child) => child.name());
      target.error(`error: unknown command '${verb}'.${didYouMean(verb, verbs)}`);
    }
    const values = target.opts<Record<string, unknown>>();
    try {
      await invoke({
        command,
        args: Object.fromEntries(names.map((name, n) => [name, target.processedArgs[n]])),
        options: Object.fromEntries(
          Object.entries(options).map(([key, option]) => [
            key,
            values[option.attributeName()] ?? option.ifUnset,
          ]),
        ),
        common: commonValues(target),
      });
    } catch (error) {
      if (error instanceof UsageError) target.error(`error: ${error.message}`);
      throw error;
    }
  });
}

/** Adds the hint after an error, and the common options except those that the command has already or has no use for. */
function addCommonOptions(
  target: CommanderCommand,
  { hidden = false, without = [] }: { hidden?: boolean; without?: readonly string[] } = {},
): void {
  const names = target.options.map((option) => option.attributeName());
  const declaredNames = new Set([...names, ...without]);
  for (const option of commonOptions()) {
    if (hidden) option.hideHelp();
    if (!declaredNames.has(option.attributeName())) target.addOption(option);
  }
  target.showHelpAfterError(`See: ${pathOf(target)} --help`);
}

function pathOf(command: CommanderCommand): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** Returns the common options of a command or its parents; the nearest one wins. */
function commonValues(command: CommanderCommand): CommonValues {
  const values: Record<string, unknown> = {};
  for (let current: CommanderCommand | null = command; current !== null; current = current.parent) {
    for (const option of current.options) {
      const name = option.attributeName();
      if (option.helpGroupHeading === COMMON_GROUP) values[name] ??= current.getOptionValue(name);
    }
  }
  return { ...values, json: values.json === true } as CommonValues;
}
