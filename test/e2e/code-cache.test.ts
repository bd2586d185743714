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
  const files = () => fs.globSync(`${folder}/*/sandlot-start-*`);
  const saved = () => new Map(files().map((file) => [file, fs.statSync(file).ino]));
  startAndStop(cwd, { NODE_COMPILE_CACHE: folder });
  const first = saved();
  expect(first.size).toBeGreaterThan(3);
  startAndStop(cwd, { NODE_COMPILE_CACHE: folder });
  expect(saved()).toEqual(first);
  // The headers stay intact, and a preloaded module requires a file that only Node can load.
  fs.writeFileSync(path.join(cwd, 'late.cjs'), "#!/usr/bin/env node\nimport('node:fs');");
  fs.writeFileSync(path.join(cwd, 'early.cjs'), "setImmediate(() => require('./late.cjs'));");
  const NODE_OPTIONS = `--require ${path.join(cwd, 'early.cjs')}`;
  for (const file of files()) fs.writeFileSync(file, fs.readFileSync(file).fill(0xff, 100));
  startAndStop(cwd, { NODE_COMPILE_CACHE: folder, NODE_OPTIONS });
  for (const [file, written] of first) expect(fs.statSync(file).ino).not.toBe(written);
  // Nothing is left of code that cannot be saved.
  for (const file of files()) fs.rmSync(file);
  for (const [file] of first) fs.mkdirSync(file);
  startAndStop(cwd, { NODE_COMPILE_CACHE: folder });
  expect(files()).toHaveLength(first.size);
});

const AS_BUN = "Object.defineProperty(process,'versions',{value:{...process.versions,bun:'9'}})";

test.each([
  ['the compile cache of Node is off', { NODE_DISABLE_COMPILE_CACHE: '1' }],
  ['Bun runs it', { NODE_OPTIONS: `--import=data:text/javascript,${AS_BUN}` }],
])('a start saves no code if %s', (_, env) => {
  const cwd = emptyDirectory();
  const folder = path.join(cwd, 'cache');
  startAndStop(cwd, { NODE_COMPILE_CACHE: folder, ...env });
  expect(fs.globSync(`${folder}/*/sandlot-*`)).toEqual([]);
  expect(fs.existsSync(folder)).toBe('NODE_OPTIONS' in env);
});
