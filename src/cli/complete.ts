import type { Argument, Command as CommanderCommand, Option } from 'commander';
import { escapeControls } from '../kernel/printable.ts';
import { createContext } from './context.ts';
import type { CommandLineIo, Environment } from './io.ts';
import { commandFiles, loadCommands } from './modules.ts';
import type { ObjectType } from './object-types.ts';
import { COMMON_GROUP, type TypedInput } from './options.ts';
import { buildProgram } from './program.ts';
import type { Tool } from './tool.ts';

/** Tells the shell to complete the name of a file. */
const FILES: Candidate = [':files', ''];

type Candidate = readonly [value: string, description: string];

const TIMEOUT_MS = 1_000;

/** Prints the words that can complete a command line, each with its description on a line. Never throws. */
export async function printCandidates(
  words: readonly string[],
  io: CommandLineIo,
  environment: Environment,
  tools: readonly Tool[],
): Promise<void> {
  const candidates = await candidatesFor(words, io, environment, tools).catch(() => []);
  for (const [value, description] of candidates) {
    // Only the first sentence, to fit on a line.
    const [first = ''] = description.split(/\.(?: |$)/, 1);
    io.stdout.write(`${value}\t${escapeControls(first).replaceAll(/\s+/g, ' ')}\n`);
  }
}

async function candidatesFor(
  words: readonly string[],
  io: CommandLineIo,
  environment: Environment,
  tools: readonly Tool[],
): Promise<readonly Candidate[]> {
  const previousWords = words.slice(0, -1);
  const currentWord = words.at(-1) ?? '';
  const files = commandFiles(tools);
  const matches = files.filter((file) => previousWords.some((word) => file.words.includes(word)));
  const noOutput = { write: () => {} };
  const streams = { stdout: noOutput, stderr: noOutput, error: (text: string) => text };
  const modules = await loadCommands(tools, matches.length > 0 ? matches : files);
  const line = readLine(
    buildProgram(modules, streams, async () => {}),
    previousWords,
  );
  const list = (name: ObjectType, prefix: string) =>
    listObjects(name, prefix, createContext(line.common, io, environment, tools));
  const { command, option, positionals, usedOptions, isEnded } = line;
  // bash splits `--to=SETTLED` into three words.
  if (option) return valuesOf(option, currentWord === '=' ? '' : currentWord, list);
  const [, optionName = '', value] = isEnded ? [] : (/^(--[\w-]+)=(.*)$/s.exec(currentWord) ?? []);
  if (value !== undefined) {
    const values = await valuesOf(findOption(command, optionName), value, list);
    return values.map(([value, description]) => [`${optionName}=${value}`, description]);
  }
  const argument = command.registeredArguments[positionals] ?? lastVariadic(command);
  const options = () =>
    optionsOf(command).filter((option) => !usedOptions.has(option.long) || isRepeatable(option));
  if (currentWord.startsWith('-') && !isEnded) return options().map(describeOption);
  const verbs = positionals === 0 ? command.commands : [];
  const candidates = [
    ...verbs.map((verb): Candidate => [verb.name(), verb.summary()]),
    ...(await valuesOf(argument, currentWord, list)),
  ];
  return candidates.length > 0 || argument || isEnded ? candidates : options().map(describeOption);
}

/**
 * Reads the words before the current one as commander would.
 * @returns `option`: the option whose value comes next, if any; `positionals`: the number of arguments; `common`: the
 * values of common options
 */
function readLine(program: CommanderCommand, words: readonly string[]) {
  let command = program;
  let option: Option | undefined;
  let positionals = 0;
  let isEnded = false;
  const usedOptions = new Set<string | undefined>();
  const common: Record<string, string> = {};
  const note = (usedOption: Option, value: string) => {
    // A command can have its own --url, which is not the common option.
    if (usedOption.helpGroupHeading === COMMON_GROUP) common[usedOption.attributeName()] = value;
  };
  for (const word of words) {
    const [name = '', ...value] = word.split('=');
    if (option) {
      if (word === '=') continue;
      note(option, word);
      option = undefined;
    } else if (isEnded || !word.startsWith('-')) {
      const verb = positionals === 0 && command.commands.find((command) => command.name() === word);
      if (verb) command = verb;
      else positionals += 1;
    } else if (word === '--') {
      isEnded = true;
    } else {
      const match = findOption(command, name);
      usedOptions.add(match?.long);
      if (match?.required && value.length === 0) option = match;
      else if (match) note(match, value.join('='));
    }
  }
  return { command, option, positionals, usedOptions, isEnded, common };
}

function optionsOf(command: CommanderCommand): Option[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => option.long !== undefined);
}

function findOption(start: CommanderCommand, name: string): Option | undefined {
  for (let command: CommanderCommand | null = start; command !== null; command = command.parent) {
    const match = command.options.find(({ long, short }) => long === name || short === name);
    if (match) return match;
  }
  return undefined;
}

function lastVariadic(command: CommanderCommand): Argument | undefined {
  const last = command.registeredArguments.at(-1);
  return last?.variadic ? last : undefined;
}

function isRepeatable(option: Option): boolean {
  return Array.isArray((option as { absent?: unknown }).absent);
}

function describeOption({ long, description }: Option): Candidate {
  return [long ?? '', description];
}

type List = (name: ObjectType, prefix: string) => Promise<Candidate[]>;

/** Returns the known values of an option or argument. */
async function valuesOf(
  input: (Option | Argument) | undefined,
  current: string,
  list: List,
): Promise<readonly Candidate[]> {
  if (input === undefined) return [];
  const { names, parse } = input as Partial<TypedInput>;
  const { values = [], isList } = parse ?? {};
  const start = isList ? current.slice(0, current.lastIndexOf(',') + 1) : '';
  const candidates: Candidate[] = values.map((value) => [start + value, '']);
  if (names) candidates.push(...(await list(names, current)));
  if (candidates.length > 0) return candidates;
  return takesFile(input) ? [FILES] : [];
}

function takesFile(input: Option | Argument): boolean {
  const placeholder = 'flags' in input ? input.flags : `<${input.name()}`;
  return /<(?:files?|dir|command)\b/.test(placeholder);
}

/** Words that need no quotes, because the shell inserts a candidate as it is. */
const SAFE = /^[\w.:/@%+-]+$/;

/** Lists objects of a running sandbox. */
async function listObjects(
  objectType: ObjectType,
  currentText: string,
  { control }: ReturnType<typeof createContext>,
): Promise<Candidate[]> {
  const { path, items, name, describedBy, prefix, isUnpaged } = objectType;
  const query = {
    ...(!isUnpaged && { limit: 100 }),
    ...(prefix !== undefined && { [prefix]: currentText }),
  };
  const client = control(AbortSignal.timeout(TIMEOUT_MS));
  const page = await client.get<Record<string, Record<string, unknown>[]>>(path, query);
  const candidates = new Map<string, string>();
  for (const item of page[items] ?? []) {
    const value = String(item[name]);
    if (!SAFE.test(value)) continue;
    candidates.set(value, describedBy.map((field) => String(item[field] ?? '')).join(' '));
  }
  return [...candidates];
}
