// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are the shell's
import type { Command as CommanderCommand, Option } from 'commander';
import type { CommandLineIo } from './io.ts';
import { loadCommandsOf } from './modules.ts';
import type { TypedInput } from './options.ts';
import { buildProgram } from './program.ts';
import type { Tool } from './tool.ts';

/** The first word of a call of a completion script; the words of the command line follow, the current one last. */
export const COMPLETE = '__complete';

/** Scripts that offer what `sandlot __complete` prints, and names of files if that is nothing. */
const SCRIPTS = {
  bash: [
    '_sandlot() {',
    `  COMPREPLY=($(compgen -W "$("\${COMP_WORDS[0]}" ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "$2"))`,
    '}',
    'complete -o default -o nosort -F _sandlot sandlot 2>/dev/null || complete -o default -F _sandlot sandlot',
  ],
  zsh: [
    '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }',
    '_sandlot() {',
    `  compadd -V sandlot -- \${(f)"$("\${words[1]}" ${COMPLETE} "\${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)"} || _files`,
    '}',
    'compdef _sandlot sandlot',
  ],
  fish: [
    'function __sandlot_complete',
    '    set -l words (commandline -opc)',
    '    set -l current (commandline -ct)',
    '    set -l program $words[1]',
    '    set -e words[1]',
    `    set -g __sandlot_candidates ($program ${COMPLETE} $words "$current" 2>/dev/null)`,
    '    set -q __sandlot_candidates[1]',
    'end',
    "complete -c sandlot -f -k -n __sandlot_complete -a '$__sandlot_candidates'",
  ],
};

export type Shell = keyof typeof SCRIPTS;

export const SHELLS = Object.keys(SCRIPTS) as Shell[];

/** Returns a script that completes commands, options and their values. */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell].join('\n');
}

/** Prints the words that can complete a command line. @param words the last is the current one; bash splits at `:` and `=` */
export async function printCandidates(
  words: readonly string[],
  io: CommandLineIo,
  tools: readonly Tool[],
): Promise<void> {
  const line = words.join('\0').replaceAll(/\0([:=]+)(?:\0|$)/g, '$1');
  const previous = line.split('\0');
  const current = previous.pop() ?? '';
  // For `--env=L`, the candidates are values of `--env`.
  const [assignment = '', ...name] = /^(--[^=]+)=/.exec(current) ?? [];
  const modules = await loadCommandsOf(previous[0], tools);
  const program = buildProgram(modules, { ...io, colorError: String }, async () => {});
  // bash completes only what follows the last `:` or `=`; other shells complete the word.
  const before = current === words.at(-1) ? '' : current.replace(/[^:=]*$/, '');
  for (const value of candidatesAfter(program, [...previous, ...name], current)) {
    const candidate = assignment + value;
    if (candidate.startsWith(before)) io.stdout.write(`${candidate.slice(before.length)}\n`);
  }
}

function candidatesAfter(program: CommanderCommand, words: readonly string[], current: string) {
  let command = program;
  let option: Option | undefined;
  let positionals = 0;
  let isOptionsEnd = false;
  for (const word of words) {
    if (option) option = undefined;
    else if (word.startsWith('-') && !isOptionsEnd) {
      isOptionsEnd = word === '--';
      // A hidden option is not offered, but it takes its value.
      option = command.options.find(
        ({ required, short, long }) => required && [short, long].includes(word),
      );
    } else {
      const verb = positionals === 0 && command.commands.find((child) => child.name() === word);
      if (verb) command = verb;
      else positionals += 1;
    }
  }
  if (option) return valuesOf(option);
  if (current.startsWith('-') && !isOptionsEnd) {
    const options = command.createHelp().visibleOptions(command);
    return current.includes('=') ? [] : options.map(({ long }) => long ?? '');
  }
  const verbs = positionals === 0 ? command.commands.map((verb) => verb.name()) : [];
  return [...verbs, ...valuesOf(command.registeredArguments[positionals])];
}

/** Returns the known values of an option or argument. */
function valuesOf(input: object | undefined): readonly string[] {
  return (input as Partial<TypedInput> | undefined)?.parse?.values ?? [];
}
