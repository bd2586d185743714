import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { BIN, emptyDirectory } from '../support/sandlot-process.ts';

/** The names of the built files that a command has loaded when it ends. */
function loadedBy(...words: string[]): string[] {
  const folder = emptyDirectory();
  const [hook, found] = [path.join(folder, 'hook.cjs'), path.join(folder, 'found.json')];
  fs.writeFileSync(
    hook,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(found)}, JSON.stringify(Object.keys(require.cache))));`,
  );

  spawnSync(process.execPath, ['--require', hook, BIN, ...words], { cwd: folder });
  const loaded: string[] = JSON.parse(fs.readFileSync(found, 'utf8'));
  return loaded.map((file) => path.basename(file).replace(/-[\w-]{8}\.cjs$/, ''));
}

const SERVER = ['start-server', 'template', 'lib', 'app', 'control'];

test.each([['--version'], ['--help'], ['orders', 'list', '--url', 'http://127.0.0.1:1']])(
  'sandlot %s loads no code of the server',
  (...words) => {
    const loaded = loadedBy(...words);
    expect(loaded.length).toBeGreaterThan(3);
    expect(loaded.filter((name) => SERVER.includes(name))).toEqual([]);
  },
);

test('a start that fails for its port has loaded neither the control API nor imports of files', () => {
  const loaded = loadedBy(
    'start',
    '--ephemeral',
    '--host',
    '203.0.113.1',
    '--control-token',
    'x'.repeat(16),
  );
  expect(loaded).toEqual(expect.arrayContaining(['start-server']));
  const late = ['app', 'control', 'dashboard', 'document', 'import-reader', 'import-files'];
  expect(loaded.filter((name) => late.includes(name))).toEqual([]);
});
