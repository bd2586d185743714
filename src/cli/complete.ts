import type { Argument, Command as CommanderCommand, Option } from 'commander';
import type { CommandLineIo } from './io.ts';
import { commandFiles, loadCommands } from './modules.ts';
import type { TypedInput } from './options.ts';
import { buildProgram } from './program.ts';
import type { Tool } from './tool.ts';

/** Tells the shell to complete the name of a file. */
const FILES: Candidate = [':files', ''];

type Candidate = readonly [value: string, description: string];

/**
 * Prints the words that can complete a command line, each with its description on a line.
 * @param words the last one is the current one
 */
export async function printCandidates(
  words: readonly string[],
  io: CommandLineIo,
  tools: readonly Tool[],
): Promise<void> {
  for (const [value, description] of await candidatesFor(words, tools)) {
    // Only the first sentence, to fit on a line.
    const [first = ''] = description.split(/\.(?: |$)/, 1);
    io.stdout.write(`${value}\t${first.replaceAll(/\s+/g, ' ')}\n`);
  }
}

async function candidatesFor(
  words: readonly string[],
  tools: readonly Tool[],
): Promise<readonly Candidate[]> {
  // bash splits `--to=SETTLED` into three words.
  const [current = '', ...before] = words.map((word) => (word === '=' ? '' : word)).reverse();
  const previous = before.reverse().filter((word) => word !== '');
  const files = commandFiles(tools);
  const matches = files.filter((file) => previous.some((word) => file.words.includes(word)));
  const noOutput = { write: () => {} };
  const streams = { stdout: noOutput, stderr: noOutput, error: (text: string) => text };
  const modules = await loadCommands(tools, matches.length > 0 ? matches : files);
  const program = buildProgram(modules, streams, async () => {});
  const { command, option, positionals } = readLine(program, previous);
  if (option) return valuesOf(option, current);
  const options = optionsOf(command).map(
    ({ long, description }): Candidate => [long ?? '', description],
  );
  const isEnded = previous.includes('--');
  if (current.startsWith('-') && !isEnded) return options;
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[positionals] ?? (last?.variadic ? last : undefined);
  const verbs = positionals === 0 ? command.commands : [];
  const candidates = [
    ...verbs.map((verb): Candidate => [verb.name(), verb.summary()]),
    ...(argument ? valuesOf(argument, current) : []),
  ];
  return candidates.length > 0 || argument || isEnded ? candidates : options;
}

/** Returns the command of a line, the option whose value comes next, if any, and the number of arguments. */
function readLine(program: CommanderCommand, words: readonly string[]) {
  let command = program;
  let option: Option | undefined;
  let positionals = 0;
  for (const word of words) {
    if (option) option = undefined;
    else if (word.startsWith('-')) {
      option = optionsOf(command).find(({ long, required }) => long === word && required);
    } else {
      const verb = positionals === 0 && command.commands.find((child) => child.name() === word);
      if (verb) command = verb;
      else positionals += 1;
    }
  }
  return { command, option, positionals };
}

function optionsOf(command: CommanderCommand): Option[] {
  return command.createHelp().visibleOptions(command);
}

/** Returns the known values of an option or argument. */
function valuesOf(input: Option | Argument, current: string): readonly Candidate[] {
  const { values, isList } = (input as Partial<TypedInput>).parse ?? {};
  const start = isList ? current.slice(0, current.lastIndexOf(',') + 1) : '';
  if (values) return values.map((value) => [start + value, '']);
  const placeholder = 'flags' in input ? input.flags : `<${input.name()}>`;
  return /<(?:files?|dir|command)\b/.test(placeholder) ? [FILES] : [];
}
