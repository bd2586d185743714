import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Command } from '../../src/cli/command.ts';
import { testRuntime } from '../support/runtime.ts';
import { ROOT } from '../support/sandlot-process.ts';
import { commandLine } from './command-line.ts';
import { COMMANDS, type Played, sceneFor } from './fixtures.ts';

/** The help of every command, a file for each first word, and errors. `npm run golden` writes them; read the diff. */
const FOLDER = path.join(ROOT, 'test/cli/golden');
const nouns = Map.groupBy(COMMANDS, ({ path: words }) => words.split(' ')[0] ?? words);

test.each([...nouns])('%s', async (noun, commands) => {
  const parts = await Promise.all(commands.map(helpOf));
  await expect(parts.join('\n')).toMatchFileSnapshot(path.join(FOLDER, `${noun}.txt`));
});

test('sandlot', async () => {
  await expect(await helpOf({ path: '' })).toMatchFileSnapshot(path.join(FOLDER, 'sandlot.txt'));
});

test('there is a file for each first word, and no other', () => {
  const files = [...nouns.keys(), 'mistakes', 'sandlot'].map((noun) => `${noun}.txt`);
  expect(fs.readdirSync(FOLDER).toSorted()).toEqual(files.toSorted());
});

/** The help, without the examples, which examples.test.ts runs, and with the common options only for the program. */
async function helpOf({ path: words }: Pick<Command, 'path'>): Promise<string> {
  const { stdout } = await commandLine(undefined, { columns: 80 })(`${words} --help`);
  const common = /^Common options:\n(?: .*\n)+\n?/m;
  const help = words === '' ? stdout : stdout.replace(common, '').replace(/\nExamples:\n.*/s, '');
  return `$ sandlot ${`${words} --help`.trim()}\n${help.trimEnd()}\n`;
}

const MISTAKES = path.join(FOLDER, 'mistakes.txt');

/** Command lines as people mistype them, and as they meet what is not there. To add one, write its `$ sandlot …`. */
const mistakes = [...fs.readFileSync(MISTAKES, 'utf8').matchAll(/^\$ sandlot (.+)$/gm)].map(
  ([, line = '']) => line,
);

test('mistakes', async () => {
  // Real time stands still too: only a timeout of 0 ends.
  const runtime = {
    ...testRuntime(),
    sleep: async (ms: number, signal = new AbortController().signal) => {
      if (ms > 0) await once(signal, 'abort');
    },
  };
  const { run, hookUrl, cwd } = await sceneFor('mistakes', '', {
    sandbox: { runtime },
    io: { runtime },
  });
  expect(mistakes.length).toBeGreaterThan(100);
  const parts: string[] = [];
  for (const line of mistakes) {
    const finished = { ...(await run(line)), hookUrl, cwd };
    expect([1, 2], line).toContain(finished.code);
    expect(finished.stderr + finished.stdout, line).not.toMatch(/bug in sandlot|\n +at /);
    parts.push(`$ sandlot ${line}\n${steady(finished)}`);
  }
  await expect(parts.join('\n')).toMatchFileSnapshot(MISTAKES);
});

/** What was printed, without what is another on every machine and at every run. */
function steady({ code, stdout, stderr, hookUrl, cwd }: Played): string {
  const said = [
    stdout,
    stderr === '' ? '' : `on stderr:\n${stderr}`,
    code === 0 ? '' : `exit ${code}\n`,
  ]
    .join('')
    .replaceAll(hookUrl, 'http://127.0.0.1:4020/')
    .replaceAll(fs.realpathSync(cwd), '/work')
    .replaceAll(cwd, '/work');
  return STEADY.reduce((text, [pattern, instead]) => text.replace(pattern, instead), said);
}

const STEADY: [RegExp, string][] = [
  [/Node\.js [\d.]+ on \w+ \w+/g, 'Node.js 24.0.0 on linux x64'],
  [/^(\d{3} [A-Za-z ]+) {2}\d+ ms$/gm, '$1  1 ms'],
];
