import type { Argument, Command as CommanderCommand, Option } from 'commander';
import { escapeControls } from '../kernel/printable.ts';
import { createContext } from './context.ts';
import type { CommandLineIo, Environment } from './io.ts';
import type { Listed } from './listed.ts';
import { commandFiles, loadCommands } from './modules.ts';
import { COMMON_GROUP, type TypedInput } from './options.ts';
import { buildProgram } from './program.ts';
import type { Tool } from './tool.ts';

/** Tells the shell to complete the name of a file. */
const FILES: Candidate = [':files', ''];

type Candidate = readonly [value: string, description: string];

const TIMEOUT_MS = 1_000;

/** Prints the words that can complete a command line, one candidate and its description per line. @throws never */
export async function printCandidates(
  words: readonly string[],
  io: CommandLineIo,
  environment: Environment,
  tools: readonly Tool[],
): Promise<void> {
  const candidates = await candidatesFor(words, io, environment, tools).catch(() => []);
  for (const [value, description] of candidates) {
    // The first sentence fits on a line.
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
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  const files = commandFiles(tools);
  const matches = files.filter((file) => before.some((word) => file.words.includes(word)));
  const silent = { write: () => {} };
  const streams = { stdout: silent, stderr: silent, error: (text: string) => text };
  const modules = await loadCommands(tools, matches.length > 0 ? matches : files);
  const line = readLine(
    buildProgram(modules, streams, async () => {}),
    before,
  );
  const list = (name: Listed, prefix: string) =>
    listObjects(name, prefix, createContext(line.common, io, environment, tools));
  const { at, option, positionals, usedOptions, isEnded } = line;
  // bash splits `--to=SETTLED` into three words.
  if (option) return valuesOf(option, current === '=' ? '' : current, list);
  const [, assigned = '', value] = isEnded ? [] : (/^(--[\w-]+)=(.*)$/s.exec(current) ?? []);
  if (value !== undefined) {
    const values = await valuesOf(findOption(at, assigned), value, list);
    return values.map(([value, description]) => [`${assigned}=${value}`, description]);
  }
  const argument = at.registeredArguments[positionals] ?? lastVariadic(at);
  const options = () =>
    optionsOf(at).filter((option) => !usedOptions.has(option.long) || isRepeatable(option));
  if (current.startsWith('-') && !isEnded) return options().map(describeOption);
  const verbs = positionals === 0 ? at.commands : [];
  const candidates = [
    ...verbs.map((verb): Candidate => [verb.name(), verb.summary()]),
    ...(await valuesOf(argument, current, list)),
  ];
  return candidates.length > 0 || argument || isEnded ? candidates : options().map(describeOption);
}

/**
 * Reads the words before the current one as commander would.
 * @returns `at`: the command that they name; `option`: the one whose value comes next; `positionals`: how many arguments
 * are given; `common`: values of common options
 */
function readLine(program: CommanderCommand, words: readonly string[]) {
  let at = program;
  let option: Option | undefined;
  let positionals = 0;
  let isEnded = false;
  const usedOptions = new Set<string | undefined>();
  const common: Record<string, string> = {};
  const note = (of: Option, value: string) => {
    // A command can have a --url of its own.
    if (of.helpGroupHeading === COMMON_GROUP) common[of.attributeName()] = value;
  };
  for (const word of words) {
    const [name = '', ...value] = word.split('=');
    if (option) {
      if (word === '=') continue;
      note(option, word);
      option = undefined;
    } else if (isEnded || !word.startsWith('-')) {
      const verb = positionals === 0 && at.commands.find((command) => command.name() === word);
      if (verb) at = verb;
      else positionals += 1;
    } else if (word === '--') {
      isEnded = true;
    } else {
      const match = findOption(at, name);
      usedOptions.add(match?.long);
      if (match?.required && value.length === 0) option = match;
      else if (match) note(match, value.join('='));
    }
  }
  return { at, option, positionals, usedOptions, isEnded, common };
}

function optionsOf(at: CommanderCommand): Option[] {
  return at
    .createHelp()
    .visibleOptions(at)
    .filter((option) => option.long !== undefined);
}

function findOption(at: CommanderCommand, name: string): Option | undefined {
  for (let command: CommanderCommand | null = at; command !== null; command = command.parent) {
    const match = command.options.find(({ long, short }) => long === name || short === name);
    if (match) return match;
  }
  return undefined;
}

function lastVariadic(at: CommanderCommand): Argument | undefined {
  const last = at.registeredArguments.at(-1);
  return last?.variadic ? last : undefined;
}

function isRepeatable(option: Option): boolean {
  return Array.isArray((option as { absent?: unknown }).absent);
}

function describeOption({ long, description }: Option): Candidate {
  return [long ?? '', description];
}

type List = (name: Listed, prefix: string) => Promise<Candidate[]>;

/** Returns the values that an option or argument can have, as far as they are known. */
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

/** Words that need no quotes: the shell inserts a candidate into the command line as it is. */
const SAFE = /^[\w.:/@%+-]+$/;

/** Lists objects of a running sandbox. */
async function listObjects(
  listed: Listed,
  start: string,
  { control }: ReturnType<typeof createContext>,
): Promise<Candidate[]> {
  const { path, items, name, about, prefix, isWhole } = listed;
  const query = {
    ...(!isWhole && { limit: 100 }),
    ...(prefix !== undefined && { [prefix]: start }),
  };
  const client = control(AbortSignal.timeout(TIMEOUT_MS));
  const page = await client.get<Record<string, Record<string, unknown>[]>>(path, query);
  const candidates = new Map<string, string>();
  for (const item of page[items] ?? []) {
    const value = String(item[name]);
    if (!SAFE.test(value)) continue;
    candidates.set(value, about.map((field) => String(item[field] ?? '')).join(' '));
  }
  return [...candidates];
}
