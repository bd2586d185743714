import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** What a build reads, besides installed packages. */
const FOLDERS = ['src', 'scripts', 'fixtures'];
const FILES = [
  ...['package.json', 'tsconfig.json', 'tsconfig.types.json'],
  // Written by npm: what is installed.
  'node_modules/.package-lock.json',
];
/** What a build writes. */
const OUTPUT = ['dist/cli.cjs', 'dist/types/index.d.ts', 'prebuilds', 'THIRD-PARTY-NOTICES.txt'];

/** Returns the folder that keeps files between builds. */
export const buildCache = (root) => path.join(root, 'node_modules/.cache/sandlot-build');

const recordOf = (root) => path.join(buildCache(root), 'inputs.sha256');

/** Returns whether the last build was complete and nothing that it read has changed since. */
export function isBuilt(root) {
  if (!fs.existsSync(recordOf(root))) return false;
  if (!OUTPUT.every((name) => fs.existsSync(path.join(root, name)))) return false;
  return fs.readFileSync(recordOf(root), 'utf8') === digestOfInputs(root);
}

/**
 * Begins a build: until it has finished, there is none.
 * @returns a function that records it as complete
 */
export function beginBuild(root) {
  fs.rmSync(recordOf(root), { force: true });
  // A file that changes while the build reads it counts as changed.
  const digest = digestOfInputs(root);
  return () => {
    fs.mkdirSync(buildCache(root), { recursive: true });
    fs.writeFileSync(recordOf(root), digest);
  };
}

function digestOfInputs(root) {
  const hash = createHash('sha256');
  const names = FOLDERS.flatMap((folder) =>
    fs.readdirSync(path.join(root, folder), { recursive: true }).map((name) => `${folder}/${name}`),
  );
  for (const name of [...FILES, ...names.sort()]) {
    const file = path.join(root, name);
    if (!fs.statSync(file, { throwIfNoEntry: false })?.isFile()) continue;
    const content = fs.readFileSync(file);
    hash.update(`${name} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}
