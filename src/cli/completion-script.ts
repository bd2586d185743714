// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are the shell's
import type { Command, Option } from 'commander';
import { shellQuote } from '../client/curl.ts';
import type { CommandModule } from './command.ts';
import { buildProgram } from './program.ts';

/** Returns a script with all words and options in it, so that completing starts no process. */
export function completionScript(
  shell: 'bash' | 'zsh' | 'fish',
  modules: readonly CommandModule[],
): string {
  const silent = { write: () => {} };
  const streams = { stdout: silent, stderr: silent, error: (text: string) => text };
  const program = buildProgram(modules, streams, async () => {});
  if (shell === 'fish') return fishScript(program);
  const bash = bashScript(program);
  return shell === 'bash' ? bash : `autoload -U +X bashcompinit && bashcompinit\n${bash}`;
}

/** Yields each command and the words that call it; none for the program. */
function* everyCommand(program: Command): Generator<[words: string, command: Command]> {
  yield ['', program];
  for (const noun of program.commands) {
    yield [noun.name(), noun];
    for (const verb of noun.commands) yield [`${noun.name()} ${verb.name()}`, verb];
  }
}

function bashScript(program: Command): string {
  const cases = [...everyCommand(program)].map(([words, command]) => {
    const options = command.options.map(({ long }) => long ?? '');
    const next = [...command.commands.map((each) => each.name()), ...options, '--help'];
    return `    ${words === '' ? "''" : shellQuote(words)}) next=${shellQuote(next.join(' '))} ;;`;
  });
  const nouns = program.commands.filter(({ commands }) => commands.length > 0);
  return [
    '_sandlot() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" noun="" verb="" next="" word',
    '  for word in "${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do',
    '    case "$word" in -*) continue ;; esac',
    '    if [ -z "$noun" ]; then noun="$word"; elif [ -z "$verb" ]; then verb="$word"; fi',
    '  done',
    `  case "$noun" in ${nouns.map((each) => each.name()).join('|')}) ;; *) verb="" ;; esac`,
    '  case "$noun${verb:+ $verb}" in',
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$next" -- "$current"))',
    '}',
    'complete -o default -F _sandlot sandlot',
  ].join('\n');
}

function fishScript(program: Command): string {
  const lines: string[] = [];
  const add = (condition: string, what: string) =>
    lines.push(`complete -c sandlot -n ${shellQuote(condition)} ${what}`);
  for (const [words, command] of everyCommand(program)) {
    const verbs = command.commands.map((each) => each.name()).join(' ');
    const seen = words.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
    const here = words === '' ? '__fish_use_subcommand' : seen.join('; and ');
    const first = words === '' ? here : `${here}; and not __fish_seen_subcommand_from ${verbs}`;
    for (const each of command.commands) {
      add(first, `-f -a ${each.name()} -d ${shellQuote(each.summary() || each.description())}`);
    }
    for (const option of command.options) add(here, fishOption(option));
  }
  return lines.join('\n');
}

function fishOption({ long, description, required }: Option): string {
  const name = (long ?? '').replace(/^--/, '');
  return `-l ${name} ${required ? '-r ' : ''}-d ${shellQuote(description)}`;
}
