import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { emptyDirectory, ROOT } from '../support/sandlot-process.ts';

const { beginBuild, isBuilt }: BuildState = await import(
  path.join(ROOT, 'scripts/build-state.mjs')
);

interface BuildState {
  /** Returns what completes the build. */
  beginBuild(root: string): () => void;
  isBuilt(root: string): boolean;
}

/** A folder with what a build reads and writes; the build itself takes no time, and the command prints its arguments. */
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
  write('scripts/build.mjs', "console.log('built')");
  write('bin/sandlot.cjs', 'console.log(process.argv.slice(2).join(" "))');
  write('src/main.ts', '1');
  write('README.md', '1');
  const build = () => {
    const complete = beginBuild(root);
    for (const file of ['dist/cli.cjs', 'dist/types/index.d.ts', 'THIRD-PARTY-NOTICES.txt'])
      write(file, '');
    fs.mkdirSync(path.join(root, 'prebuilds'), { recursive: true });
    return complete;
  };
  return { root, write, build };
}

test('a build is current until something that it reads changes or something that it writes is gone', () => {
  const { root, write, build } = clone();
  fs.mkdirSync(path.join(root, 'fixtures'));
  expect(isBuilt(root)).toBe(false);
  const changes: [change: () => void, isStillBuilt: boolean][] = [
    [() => write('README.md', '2'), true],
    [() => write('src/main.ts', '2'), false],
    [() => write('src/new.ts', ''), false],
    [() => write('node_modules/.package-lock.json', '{}'), false],
    [() => fs.rmSync(path.join(root, 'dist'), { recursive: true }), false],
    // Interrupted: it does not complete.
    [() => void build(), false],
  ];
  for (const [change, isStillBuilt] of changes) {
    build()();
    expect(isBuilt(root)).toBe(true);
    change();
    expect(isBuilt(root)).toBe(isStillBuilt);
  }
});

test('npm start says that it builds, if it does, and starts', () => {
  const { root, build, write } = clone();
  write('fixtures/list.json', '[]');
  const start = () => {
    const args = ['scripts/start.mjs', '--ephemeral'];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    return stderr + stdout;
  };
  expect(start()).toBe('Building…\nbuilt\nstart --ephemeral\n');
  build()();
  expect(start()).toBe('start --ephemeral\n');
});
