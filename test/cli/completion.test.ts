// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are the shell's
import { execFileSync, spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { SHELLS } from '../../src/cli/complete.ts';
import { EVENT_TYPES } from '../../src/events/event-types.ts';
import { ERROR_CODES } from '../../src/kernel/errors.ts';
import { ORDER_STATUSES } from '../../src/store/schema/order-states.ts';
import { commandLine } from './command-line.ts';
import { COMMANDS } from './fixtures.ts';

/** Returns what is offered after these words, the last of which is the current one. */
async function offered(...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await commandLine()(['__complete', ...words]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split('\n').slice(0, -1);
}

test('commands come first, then their verbs', async () => {
  const nouns = COMMANDS.map(({ path }) => path.split(' ')[0]);
  expect(await offered('')).toEqual([...new Set(nouns)]);
  expect(await offered('nonsense', 'x', '')).toEqual([]);
  expect(await offered('orders', '')).toEqual(
    COMMANDS.flatMap(({ path }) => (path.startsWith('orders ') ? [path.slice(7)] : [])),
  );
});

test('options are offered after a dash', async () => {
  const options = await offered('orders', 'advance', 'ord_1', '-');
  expect(options).toContain('--to');
  expect(options.at(-1)).toBe('--help');
  expect(await offered('clock', '')).not.toContain('--json');
  expect(await offered('exec', '--', '-')).toEqual([]);
});

test.each([
  [['faults', 'add', '--code', ''], [...ERROR_CODES]],
  [['orders', 'advance', 'ord_1', '--to', ''], [...ORDER_STATUSES]],
  [['--url', 'http://127.0.0.1:9', 'webhooks', 'fire', ''], [...EVENT_TYPES]],
  [['--url', '=', 'http', ':', '//[::1]', ':', '9', 'webhooks', 'fire', ''], [...EVENT_TYPES]],
  [['completion', ''], [...SHELLS]],
  [
    ['faults', 'add', '--webhook', ''],
    ['delay=', 'duplicate', 'reorder', 'drop', 'corrupt_signature', 'discard_response'],
  ],
  [['faults', 'add', '--webhook', 'delay', '='], ['']],
  [['orders', 'list', '--status', '=', 'S'], [...ORDER_STATUSES]],
  [['orders', 'list', '--status=S'], ORDER_STATUSES.map((status) => `--status=${status}`)],
  [['orders', '--json', '--world', 'x', 'advance', 'o', '--to', ''], [...ORDER_STATUSES]],
  [['orders', 'list', '--json='], []],
  [['orders', 'advance', '--', 'ord_1', '--to', ''], []],
  [['inventory', 'import', ''], []],
  [['clock', 'advance', ''], []],
])('known values: %j', async (words, expected) => {
  expect(await offered(...words)).toEqual(expected);
});

/** A command that prints two candidates if it gets the words of the tests. */
const FAKE = `sandlot() {
  [ "$*" = '__complete orders li' ] && printf 'list\\nlink:x\\n'
}`;

function inShell(shell: string, lines: readonly string[]): string {
  const args = shell === 'zsh' ? ['-f', '-c'] : ['-c'];
  return execFileSync(shell, [...args, lines.join('\n')], { encoding: 'utf8' });
}

function isMissing(shell: string): boolean {
  return spawnSync(shell, ['-c', ':']).status !== 0;
}

test.each([
  [
    'bash',
    '',
    'COMP_WORDS=(sandlot orders li); COMP_CWORD=2; _sandlot sandlot li; printf "%s," "${COMPREPLY[@]}"',
    'list,link:x,',
  ],
  [
    'zsh',
    'compdef() { :; }; compadd() { print -r -- "${(j:,:)@}"; }',
    'words=(sandlot orders li); CURRENT=3; PREFIX=li; _sandlot',
    '-V,sandlot,--,list,link:x\n',
  ],
])('the script of %s passes the words on', async (shell, setUp, call, reply) => {
  // A missing shell is a failure in CI; .ci/run installs it.
  if (isMissing(shell) && !process.env.CI) return;
  const { stdout } = await commandLine()(`completion ${shell}`);
  expect(inShell(shell, [setUp, stdout, FAKE, call])).toBe(reply);
});

test('the script of fish is complete', async () => {
  const { stdout } = await commandLine()('completion fish');
  expect(stdout).toContain('__complete $words "$current"');
  // fish is not part of CI; where it is installed, it reads the script.
  if (isMissing('fish')) return;
  const reply = inShell('fish', [
    stdout,
    "function sandlot; test \"$argv\" = '__complete orders li'; and printf 'list\\nlink\\n'; end",
    "complete -C 'sandlot orders li'; complete -C 'sandlot start --config=scri'",
  ]);
  expect(reply).toBe('list\nlink\n--config=scripts/\n');
});
