import fs from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { commandsPage } from '../../scripts/docs/commands-page.ts';
import { loadCommands } from '../../src/cli/modules.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { COMMANDS, ELSEWHERE, PLAYED } from '../cli/fixtures.ts';
import { ROOT } from '../support/sandlot-process.ts';

const page = fs.readFileSync(path.join(ROOT, 'docs/cli.md'), 'utf8');

test('docs/cli.md is up to date (npm run docs updates it)', () => {
  expect(page).toBe(commandsPage());
});

const silent = { write: () => true };
const streams = { stdout: silent, stderr: silent, error: (text: string) => text };
const program = buildProgram(await loadCommands(TOOLS), streams, async () => {});

test.each(leavesOf(program))('%s is in the documents, with examples that run', (words) => {
  const [, , examples = ''] =
    new RegExp(
      `^### \`${words}(?: [^a-z\`]*)?\`\\n\\n((?:[^#\`\\n].*\\n+)+)\`\`\`sh\\n([^]*?)\n\`\`\``,
      'm',
    ).exec(page) ?? [];
  expect(examples).toContain(`sandlot ${words}`);
  // Those that start servers run in test/e2e and in the golden files.
  if (ELSEWHERE.has(words)) return;
  for (const line of examples.split('\n')) expect(PLAYED).toContainEqual([words, line]);
});

/** Every command that does something, by the words that call it; nouns that only hold verbs are none. */
function leavesOf(command: Command, above: readonly string[] = []): string[] {
  return command.commands.flatMap((each) => {
    const words = [...above, each.name()];
    const isNoun =
      each.commands.length > 0 && !COMMANDS.some(({ path: own }) => own === each.name());
    return [...(isNoun ? [] : [words.join(' ')]), ...leavesOf(each, words)];
  });
}
