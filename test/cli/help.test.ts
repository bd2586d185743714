import { expect, test } from 'vitest';
import type { helpDocument } from '../../src/cli/help-document.ts';
import { commandFiles } from '../../src/cli/modules.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { commandLine } from './command-line.ts';
import { COMMANDS } from './fixtures.ts';

test('every command has a summary and examples of its own, and shows them', async () => {
  const run = commandLine();
  for (const { path, summary, examples } of COMMANDS) {
    expect(summary, path).toMatch(/^[A-Z].*\.$/);
    expect(examples.length, path).toBeGreaterThan(0);
    for (const example of examples) expect(example, path).toContain(`sandlot ${path}`);
    const { code, stdout, stderr } = await run(`${path} --help`);
    expect({ code, stderr }, path).toEqual({ code: 0, stderr: '' });
    for (const example of examples) expect(stdout, path).toContain(`  ${example}\n`);
    expect(stdout, path).toContain('--json');
  }
});

test('the help of a noun lists its verbs; no line is wider than the terminal', async () => {
  const run = commandLine(undefined, { columns: 72, isTTY: true });
  const { stdout } = await run('orders --help');
  for (const { path } of COMMANDS.filter((each) => each.path.startsWith('orders '))) {
    expect(stdout).toMatch(new RegExp(`^  ${path.slice('orders '.length)} `, 'm'));
  }
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(72);
  expect((await run('help orders')).stdout).toBe(stdout);
  expect((await run('help orders list')).stdout).toContain('sandlot orders list [options]');
  expect((await run('help exec npm')).stdout).toContain('sandlot exec [options]');
});

test('--version prints the version', async () => {
  const { code, stdout } = await commandLine()('--version');
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

test('paths are unique', () => {
  const paths = COMMANDS.map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
});

test('each file of commands is listed with the first words of its commands', async () => {
  for (const { words, load } of commandFiles(TOOLS)) {
    const { commands } = await load();
    expect(new Set(commands.map(({ path }) => path.split(' ')[0]))).toEqual(new Set(words));
  }
});

test('--help --json prints every command with its options, values and defaults, and the exit codes', async () => {
  const { code, stderr, json } = await commandLine()('--help --json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const help = json<ReturnType<typeof helpDocument>>();
  expect(help.commands.map((each) => each.command)).toEqual(COMMANDS.map(({ path }) => path));
  for (const { path, options = {} } of COMMANDS) {
    const found = help.commands.find((each) => each.command === path);
    expect(found?.options.map(({ option }) => option)).toEqual(
      Object.values(options).map(({ long }) => long),
    );
  }
  expect(Object.keys(help.exit_codes)).toEqual(['0', '1', '2', '3']);
  expect(help.common_options.map(({ option }) => option)).toContain('--world');
  const optionOf = (path: string, name: string) =>
    help.commands
      .find(({ command }) => command === path)
      ?.options.find(({ option }) => option === name);
  expect(optionOf('idle', '--timeout')?.default).toBe('30s');
  expect(optionOf('exec', '--no-rate-limits')?.default).toBe(null);
  expect(optionOf('credentials create', '--no-golive')?.default).toBe(true);
  expect(optionOf('orders list', '--limit')).toEqual({
    option: '--limit',
    flags: '--limit <count>',
    description: 'Maximum number of items in a page (default: 25)',
    required: false,
    repeatable: false,
    values: null,
    default: '25',
  });
});

test('--help --json after a command is an option of that command', async () => {
  const { stdout } = await commandLine()('orders list --help --json');
  expect(stdout).toContain('Usage: sandlot orders list');
});
