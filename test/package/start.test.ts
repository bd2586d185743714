import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { emptyDirectory, ROOT } from '../support/sandlot-process.ts';

/** Writes what the real one writes, which takes seconds, and says so. */
const BUILD = `
  import fs from 'node:fs';
  import { beginBuild } from './build-state.mjs';
  const complete = beginBuild(process.cwd());
  for (const file of ['dist/cli.cjs', 'dist/types/index.d.ts', 'prebuilds', 'THIRD-PARTY-NOTICES.txt'])
    fs.cpSync('package.json', file);
  console.log('built');
  if (!fs.existsSync('interrupt')) complete();
`;

/** A clone whose build takes no time and whose command prints its arguments. */
function clone() {
  const root = emptyDirectory();
  const write = (name: string, content: string) => {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), content);
  };
  for (const name of ['start', 'build-if-changed', 'build-state']) {
    const script = `scripts/${name}.mjs`;
    write(script, fs.readFileSync(path.join(ROOT, script), 'utf8'));
  }
  write('scripts/build.mjs', BUILD);
  write('package.json', '{}');
  write('src/main.ts', '1');
  write('fixtures/list.json', '[]');
  write('README.md', '1');
  write('bin/sandlot.cjs', 'console.log(process.argv.slice(2).join(" "))');
  const start = () => {
    const args = ['scripts/start.mjs', '--ephemeral'];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    return stderr + stdout;
  };
  return { root, write, start };
}

const STARTED = 'start --ephemeral\n';
const BUILT = `Building…\nbuilt\n${STARTED}`;

test('npm start says that it builds, and builds only after a change', () => {
  const { root, write, start } = clone();
  expect([start(), start()]).toEqual([BUILT, STARTED]);
  write('README.md', '2');
  expect(start()).toBe(STARTED);
  write('src/main.ts', '2');
  expect([start(), start()]).toEqual([BUILT, STARTED]);
  write('src/new.ts', '');
  expect([start(), start()]).toEqual([BUILT, STARTED]);
  write('node_modules/.package-lock.json', '{}');
  expect([start(), start()]).toEqual([BUILT, STARTED]);
  fs.rmSync(path.join(root, 'dist'), { recursive: true });
  expect([start(), start()]).toEqual([BUILT, STARTED]);
});

test('npm start builds again after a build that was interrupted', () => {
  const { root, write, start } = clone();
  start();
  write('src/main.ts', '2');
  write('interrupt', '');
  expect(start()).toBe(BUILT);
  fs.rmSync(path.join(root, 'interrupt'));
  expect([start(), start()]).toEqual([BUILT, STARTED]);
});
