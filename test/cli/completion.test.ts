// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are the shell's
import { execFileSync, spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { EVENT_TYPES } from '../../src/events/event-types.ts';
import { ERROR_CODES } from '../../src/kernel/errors.ts';
import { ORDER_STATUSES } from '../../src/store/schema/order-states.ts';
import { commandLine } from './command-line.ts';
import { COMMANDS } from './fixtures.ts';

type Run = ReturnType<typeof commandLine>;

/** Returns what is offered after these words, the last of which is the current one. */
async function offered(run: Run, ...words: string[]): Promise<[value: string, about: string][]> {
  const { code, stdout, stderr } = await run(['__complete', ...words]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t') as [string, string]);
}

async function values(run: Run, ...words: string[]): Promise<string[]> {
  return (await offered(run, ...words)).map(([value]) => value);
}

test('commands come first, each with its summary', async () => {
  const run = commandLine();
  const top = await offered(run, '');
  expect(top).toContainEqual(['orders', 'List orders, and move them as the marketplace would']);
  expect(top.map(([value]) => value)).toEqual([
    ...new Set(COMMANDS.map(({ path }) => path.split(' ')[0])),
  ]);
  expect(await values(run, 'orders', '')).toEqual(
    COMMANDS.flatMap(({ path }) => (path.startsWith('orders ') ? [path.slice(7)] : [])),
  );
  expect(await values(run, 'clock', '')).not.toContain('--json');
});

test('options are offered after a dash, or if nothing else can follow', async () => {
  const run = commandLine();
  const options = await offered(run, 'orders', 'advance', 'ord_1', '-');
  expect(options).toContainEqual(['--to', 'Follow the legal path to this state']);
  expect(options.at(-1)).toEqual(['--help', 'Print this help']);
  expect(await values(run, 'orders', 'advance', 'ord_1', '')).toEqual(options.map(([one]) => one));
});

test.each([
  [['faults', 'add', '--code', ''], [...ERROR_CODES]],
  [['orders', 'advance', 'ord_1', '--to', ''], [...ORDER_STATUSES]],
  [['orders', 'advance', 'ord_1', '--to', '='], [...ORDER_STATUSES]],
  [['orders', 'advance', 'ord_1', '--to', '=', 'S'], [...ORDER_STATUSES]],
  [['--url', 'http://127.0.0.1:9', 'webhooks', 'fire', ''], [...EVENT_TYPES]],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [
    ['faults', 'add', '--webhook', ''],
    ['delay=', 'duplicate', 'reorder', 'drop', 'corrupt_signature'],
  ],
  [['inventory', 'import', ''], [':files']],
  [['exec', '--', ''], [':files']],
  [['orders', 'list', '--from', ''], []],
  [['clock', 'advance', ''], []],
])('known values: %j', async (words, expected) => {
  expect(await values(commandLine(), ...words)).toEqual(expected);
});

test('a list of values goes on after a comma', async () => {
  expect(await values(commandLine(), 'credentials', 'create', '--scopes', 'search,b')).toContain(
    'search,buy',
  );
});

test('an unknown command offers no words of its own', async () => {
  const run = commandLine();
  expect(await values(run, 'nonsense', 'x', '')).not.toContain('x');
  expect(await values(run)).toContain('orders');
});

/** A command that prints two candidates if it gets the words of the tests. */
const FAKE = `sandlot() {
  [ "$*" = '__complete orders li' ] && printf 'list\\tList orders\\nlink:x\\tShow: all\\n'
}`;

function inShell(shell: string, lines: readonly string[]): string {
  const args = shell === 'zsh' ? ['-f', '-c'] : ['-c'];
  return execFileSync(shell, [...args, lines.join('\n')], { encoding: 'utf8' });
}

function isMissing(shell: string): boolean {
  return spawnSync(shell, ['-c', ':']).status !== 0;
}

test('the script of bash passes the words on, and offers what begins with the current one', async () => {
  const script = (await commandLine()('completion bash')).stdout;
  const reply = inShell('bash', [
    script,
    FAKE,
    'COMP_WORDS=(sandlot orders li); COMP_CWORD=2; _sandlot; printf "%s," "${COMPREPLY[@]}"',
  ]);
  expect(reply).toBe('list,link:x,');
});

// A missing shell is a failure in CI; .ci/run installs it.
test.skipIf(isMissing('zsh') && !process.env.CI)(
  'the script of zsh passes the words on, and shows descriptions',
  async () => {
    const script = (await commandLine()('completion zsh')).stdout;
    const reply = inShell('zsh', [
      'compdef() { :; }',
      script,
      FAKE,
      '_describe() { print -r -- "$1|$2|${(j:,:)candidates}"; }',
      'words=(sandlot orders li); CURRENT=3; PREFIX=li; _sandlot',
    ]);
    expect(reply).toBe('-V|sandlot|list:List orders,link\\:x:Show: all\n');
  },
);

test('the script of fish is complete', async () => {
  const { stdout } = await commandLine()('completion fish');
  expect(stdout).toContain('__complete $words "$current"');
  expect(stdout.match(/^ *(?:function|for|if) /gm)).toHaveLength(3);
  expect(stdout.match(/^ *end$/gm)).toHaveLength(3);
  // fish is not part of CI; where it is installed, it reads the script.
  if (isMissing('fish')) return;
  const reply = inShell('fish', [
    stdout,
    "function sandlot; test \"$argv\" = '__complete orders li'; and printf 'list\\tList orders\\nlink\\tLink\\n'; end",
    "complete -C 'sandlot orders li'",
  ]);
  expect(reply).toBe('list\tList orders\nlink\tLink\n');
});

test('another shell is wrong usage', async () => {
  expect((await commandLine()('completion tcsh')).code).toBe(2);
});
