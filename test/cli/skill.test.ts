import { expect, test } from 'vitest';
import { skillText, usageOf } from '../../src/cli/help-document.ts';
import { loadCommands } from '../../src/cli/modules.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { shellBlocksOf } from '../support/documents.ts';
import { sandbox } from '../support/sandbox.ts';
import { shellWords } from '../support/shell-words.ts';
import { commandLine } from './command-line.ts';

const modules = await loadCommands(TOOLS);
const commands = modules.flatMap((module) => module.commands);

test('skill prints the skill, with every command and its options', async () => {
  const { code, stdout } = await commandLine()('skill');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^---\nname: sandlot\ndescription: .+\n---\n/);
  for (const command of commands) {
    const row = stdout.split('\n').find((line) => line.startsWith(`| \`${usageOf(command)}\` |`));
    expect(row, command.path).toContain(command.summary);
    for (const { long, hidden } of Object.values(command.options ?? {})) {
      if (!hidden) expect(row).toContain(`\`${long}\``);
    }
  }
});

test('the commands of the skill succeed in their order', async () => {
  const run = commandLine(await sandbox());
  const blocks = shellBlocksOf(skillText(modules)).join('');
  const lines = blocks
    .split('\n')
    .filter((line) => line !== '' && !/ (?:start|doctor)\b/.test(line));
  expect(lines.length).toBeGreaterThan(8);
  for (const line of lines) {
    const { code, stderr } = await run(shellWords(line)?.slice(1) ?? []);
    expect([line, code, stderr]).toEqual([line, 0, stderr]);
  }
});
