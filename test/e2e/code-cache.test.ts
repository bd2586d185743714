import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { emptyDirectory, sandlot } from '../support/sandlot-process.ts';

function startAndStop(cwd: string, env: NodeJS.ProcessEnv): void {
  const start = ['start', '--detach', '--port', '0', '--inventory', '20'];
  const results = [start, ['stop']].map((words) => sandlot(cwd, words, { ...process.env, ...env }));
  expect(results.map(({ status }) => status)).toEqual([0, 0]);
}

test('a start loads the code that an earlier one has saved, and replaces what is damaged', () => {
  const cwd = emptyDirectory();
  const folder = path.join(cwd, 'cache');
  const saved = () =>
    fs
      .globSync(`${folder}/*/sandlot-start-*`)
      .map((file) => ({ file, written: fs.statSync(file).ino }));
  startAndStop(cwd, { NODE_COMPILE_CACHE: folder });
  const first = saved();
  expect(first.length).toBeGreaterThan(3);
  startAndStop(cwd, { NODE_COMPILE_CACHE: folder });
  expect(saved()).toEqual(first);
  for (const { file } of first) fs.writeFileSync(file, 'damaged');
  startAndStop(cwd, { NODE_COMPILE_CACHE: folder });
  for (const { file } of first) expect(fs.statSync(file).size).toBeGreaterThan(100);
});

test('a start saves no code if the compile cache of Node is off', () => {
  const cwd = emptyDirectory();
  const folder = path.join(cwd, 'cache');
  startAndStop(cwd, { NODE_COMPILE_CACHE: folder, NODE_DISABLE_COMPILE_CACHE: '1' });
  expect(fs.existsSync(folder)).toBe(false);
});
