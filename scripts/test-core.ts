import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

// Tests the core without any tool, in a copy of the repository: `npm run test:core -- [arguments of Vitest]`.

const ROOT = path.join(import.meta.dirname, '..');

/** What the copy does not have. */
const LEFT_OUT = [
  ...['.git', 'dist', 'prebuilds', 'release', '.sandlot'],
  // What is made for tools.
  ...['test/tools', 'scripts/docs/tools', 'src/tools/README.md'],
  ...fs.globSync('src/tools/*/', { cwd: ROOT }),
  // The campaigns look for lost data in what tools report of it.
  'test/torture',
  // Written again, from the commands that are left; the mistyped command lines are read from theirs.
  ...fs
    .globSync('test/cli/golden/*.txt', { cwd: ROOT })
    .filter((name) => path.basename(name) !== 'mistakes.txt'),
].map((name) => path.join(ROOT, name));

/** Lists of tools, which are empty in the copy. */
const LISTS = ['src/tools/index.ts', 'src/tools/exports.ts', 'scripts/docs/tools.ts'];

/** Build and caches belong to the repository. */
const NOT_INSTALLED = /^\.(cache|vite|vitest)/;

/** The list of files is checked before they are written. */
const GOLDEN = ['run', 'test/cli/golden.test.ts', '--update', '-t', '^(?!there is a file)'];

const STEPS = [
  ['npm', 'run', '-s', 'docs'],
  ['npx', 'vitest', ...GOLDEN, '--reporter=dot'],
  ['npm', 'run', '-s', 'typecheck'],
  ['npx', 'vitest', 'run', ...process.argv.slice(2)],
];

const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-core-'));
try {
  makeCopy();
  process.exitCode = STEPS.every(succeeds) ? 0 : 1;
} finally {
  fs.rmSync(copy, { recursive: true });
}

function makeCopy(): void {
  fs.cpSync(ROOT, copy, {
    recursive: true,
    filter: (file) => path.basename(file) !== 'node_modules' && !LEFT_OUT.includes(file),
  });
  for (const name of LISTS) {
    const file = path.join(copy, name);
    fs.writeFileSync(file, withoutTools(fs.readFileSync(file, 'utf8')));
  }
  for (const name of fs.globSync('.ci/*/node_modules', { cwd: ROOT })) {
    fs.symlinkSync(path.join(ROOT, name), path.join(copy, name));
  }
  const modules = path.join(ROOT, 'node_modules');
  fs.mkdirSync(path.join(copy, 'node_modules'));
  for (const name of fs.readdirSync(modules)) {
    if (NOT_INSTALLED.test(name)) continue;
    fs.symlinkSync(path.join(modules, name), path.join(copy, 'node_modules', name));
  }
}

/** Removes the lines of tools from a list. */
function withoutTools(list: string): string {
  return list
    .replaceAll(/^(?:import|export \*).* from '\.\/(?!openapi-examples)[\w-]+\/.*\n/gm, '')
    .replaceAll(/ = \[[^\]]*\];/g, ' = [];')
    .replaceAll(/^(export type \w+) = [^;]+;/gm, '$1 = object;');
}

function succeeds([program = '', ...args]: readonly string[]): boolean {
  return spawnSync(program, args, { cwd: copy, stdio: 'inherit' }).status === 0;
}
