import { expect, test } from 'vitest';
import { skillText } from '../../src/cli/help-document.ts';
import { COMMANDS, MODULES } from '../cli/fixtures.ts';
import { shellBlocksOf } from '../support/documents.ts';

const COMMON = ['--json', '--url', '--world', '--control-token', '--help'];

/** The command that a line begins with. */
function commandOf(line: string) {
  const words = line.split(' ');
  return [2, 1]
    .map((length) => words.slice(0, length).join(' '))
    .map((words) => COMMANDS.find(({ path }) => path === words))
    .find((found) => found !== undefined);
}

test('the text of the skill names only commands and options that exist', () => {
  const [guide = ''] = skillText(MODULES).split('\n## Commands');
  const lines = [
    ...shellBlocksOf(guide).flatMap((block) => block.trim().split('\n')),
    ...[...guide.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`]+)`/g)].map(
      ([, code = '']) => code,
    ),
  ].map((line) => line.replace(/^(?:npx )?sandlot /, ''));
  let checked = 0;
  for (const line of lines) {
    const command = commandOf(line);
    if (!command) continue;
    checked += 1;
    const known = Object.values(command.options ?? {}).map(({ long }) => long);
    const own = line.split(' -- ')[0]?.match(/(?<= )--[a-z-]+/g) ?? [];
    expect([...COMMON, ...known], line).toEqual(expect.arrayContaining(own));
  }
  expect(checked).toBeGreaterThan(20);
});
