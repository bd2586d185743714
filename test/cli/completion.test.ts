import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commandLine } from './command-line.ts';
import { COMMANDS } from './fixtures.ts';

/** What bash offers behind these words. */
async function offered(...words: string[]): Promise<string[]> {
  const { stdout } = await commandLine()('completion bash');
  const line = ['sandlot', ...words].map((word) => `'${word}'`).join(' ');
  const script = `${stdout}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length}; _sandlot; echo "\${COMPREPLY[*]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split(/\s+/);
}

test('bash completes nouns, verbs and options', async () => {
  expect(await offered('ord')).toEqual(['orders']);
  expect(await offered('orders', 'adv')).toEqual(['advance']);
  expect(await offered('orders', 'advance', 'ord_1', '--t')).toEqual(['--to']);
  expect(await offered('clock', '')).toContain('advance');
  expect(await offered('webhooks', 'fire', 'order.settled', '--b')).toEqual(['--bad-signature']);
  expect(await offered('status', 'nothing', '--js')).toEqual(['--json']);
});

test('zsh and fish scripts know every command', async () => {
  const zsh = (await commandLine()('completion zsh')).stdout;
  expect(zsh).toMatch(/^autoload/);
  const fish = (await commandLine()('completion fish')).stdout;
  for (const { path } of COMMANDS) expect(fish, path).toContain(`-a ${path.split(' ').at(-1)} `);
  for (const line of fish.trim().split('\n')) expect(line).toMatch(/^complete -c sandlot -n /);
});

test('another shell is wrong usage', async () => {
  expect((await commandLine()('completion tcsh')).code).toBe(2);
});
