// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are the shell's
/** The first word of a call of these scripts; the words of the command line follow, the current one last. */
export const COMPLETE = '__complete';

/** Scripts that pass the words to `sandlot __complete`, which prints each candidate with its description on a line. */
const SCRIPTS = {
  bash: [
    '_sandlot() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" value description',
    '  COMPREPLY=()',
    '  [ "$current" != = ] || current=',
    "  while IFS=$'\\t' read -r value description; do",
    '    case "$value" in',
    '      :files)',
    '        compopt -o filenames 2>/dev/null',
    '        while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$current") ;;',
    '      "$current"*) COMPREPLY+=("$value") ;;',
    '    esac',
    `  done < <("\${COMP_WORDS[0]}" ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)`,
    '}',
    'complete -o nosort -F _sandlot sandlot 2>/dev/null || complete -F _sandlot sandlot',
  ],
  zsh: [
    '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }',
    '_sandlot() {',
    '  local value description',
    '  local -a candidates',
    "  while IFS=$'\\t' read -r value description; do",
    '    if [[ $value == :files ]]; then _files; return; fi',
    '    candidates+=("${value//:/\\\\:}${description:+:$description}")',
    `  done < <("\${words[1]}" ${COMPLETE} "\${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)`,
    "  _describe -V 'sandlot' candidates",
    '}',
    'compdef _sandlot sandlot',
  ],
  fish: [
    'function __sandlot_complete',
    '    set -l words (commandline -opc)',
    '    set -l current (commandline -ct)',
    '    set -l program $words[1]',
    '    set -e words[1]',
    `    for line in ($program ${COMPLETE} $words "$current" 2>/dev/null)`,
    '        if string match -q ":files*" -- $line',
    '            __fish_complete_path "$current"',
    '        else',
    '            echo $line',
    '        end',
    '    end',
    'end',
    "complete -c sandlot -f -k -a '(__sandlot_complete)'",
  ],
};

export type Shell = keyof typeof SCRIPTS;

/** Returns a script that completes commands, options, values and IDs. */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell].join('\n');
}
