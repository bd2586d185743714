import { Command, Option } from 'commander';
import { VERSION } from '../version.ts';
import type { CommandDeclaration } from './command.ts';
import { addCommonOptions, COMMON_GROUP } from './common-options.ts';
import { declareCommand, type Invoke } from './declare-command.ts';
import type { TextStream } from './io.ts';
import { groupedHelp, subcommandTerm } from './program-help.ts';
import { SECTIONS, topicOf } from './topics.ts';

/** Assembles commander's program from the declarations; a command line that it accepts goes to `invoke`. */
export function buildProgram(
  declarations: readonly CommandDeclaration[],
  streams: { stdout: TextStream; stderr: TextStream },
  invoke: Invoke,
): Command {
  const program = new Command('sandlot')
    .description('A local sandbox of the partner-facing domain-marketplace API.')
    .usage('<command> [options]')
    .version(VERSION, '-V, --version', 'show the version')
    .addHelpOption(new Option('-h, --help', 'show this help').helpGroup(COMMON_GROUP))
    .helpCommand('help [command]', 'show the help of a command')
    // Options belong to the command that they stand behind, so `webhooks fire --url` is its own.
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp({ subcommandTerm })
    .configureOutput({
      writeOut: (text) => streams.stdout.write(text),
      writeErr: (text) => streams.stderr.write(text),
      // Failures are told in one place, by the caller.
      outputError: () => {},
      getOutHelpWidth: () => streams.stdout.columns ?? 80,
      getErrHelpWidth: () => streams.stderr.columns ?? 80,
    });
  addCommonOptions(program);
  for (const word of topLevelWords(declarations)) addTopic(program, word, declarations, invoke);
  return program.configureHelp({ subcommandTerm, formatHelp: groupedHelp });
}

/** Every word path that leads to a command, groups included. */
export function knownPaths(declarations: readonly CommandDeclaration[]): Set<string> {
  return new Set(declarations.flatMap(({ path }) => [path.split(' ')[0] ?? path, path]));
}

/** The first words, in the order in which the help groups them. */
function topLevelWords(declarations: readonly CommandDeclaration[]): string[] {
  const present = new Set(declarations.map(({ path }) => path.split(' ')[0] ?? path));
  const known = SECTIONS.flatMap(({ topics }) => Object.keys(topics));
  return [...known.filter((word) => present.delete(word)), ...present];
}

function addTopic(
  program: Command,
  word: string,
  declarations: readonly CommandDeclaration[],
  invoke: Invoke,
): void {
  const own = declarations.find(({ path }) => path === word);
  const below = declarations.filter(({ path }) => path.startsWith(`${word} `));
  const { section, summary } = topicOf(word);
  const topic = program.command(word).helpGroup(`${section}:`).helpCommand(false);
  for (const each of below) {
    declareCommand(topic.command(each.path.slice(word.length + 1)), each, invoke);
  }
  if (below.length > 0) topic.configureHelp({ subcommandTerm, formatHelp: groupedHelp });
  if (own) {
    declareCommand(topic, own, invoke);
    return;
  }
  topic.description(summary).usage('<command> [options]');
  addCommonOptions(topic);
}
