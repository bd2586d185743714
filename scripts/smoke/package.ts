import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { linkedFiles } from '../package/markdown-links.ts';
import { pack } from '../package/pack.ts';
import { checkCommand } from './command.ts';

const USE =
  'createSandbox().then(async (s) => { console.log((await s.control.get("/health")).status); await s.close(); })';

/** Packs the package and uses it in an empty folder, like a new user. */
export async function checkPackage(root: string, empty: string): Promise<string> {
  const { file: tarball, size } = pack(root, empty);
  const megabytes = size / 1e6;
  assert(megabytes < 12, `the tarball has ${megabytes.toFixed(1)} MB`);

  const work = path.join(empty, 'work');
  fs.mkdirSync(work);
  const npx = (...args: string[]) =>
    run('npx', ['--yes', '--package', tarball, 'sandlot', ...args], work);
  assert(/^\d+\.\d+\.\d+\n$/.test(npx('--version')), 'npx does not print a version');

  fs.writeFileSync(path.join(work, 'package.json'), '{ "private": true }');
  run('npm', ['install', '--no-audit', '--no-fund', tarball], work);
  const modules = path.join(work, 'node_modules');
  const installed = fs.readdirSync(modules).filter((name) => !name.startsWith('.'));
  assert(installed.join() === 'sandlot', `installing it brought ${installed.join()}`);
  checkContents(path.join(modules, 'sandlot'));
  lint(root, tarball);
  await checkCommand((...args) => run(path.join(modules, '.bin/sandlot'), args, work));

  const esm = run(
    'node',
    ['--input-type=module', '-e', `import { createSandbox } from 'sandlot'; ${USE}`],
    work,
  );
  const cjs = run('node', ['-e', `const { createSandbox } = require('sandlot'); ${USE}`], work);
  assert(esm.trim() === 'ok' && cjs.trim() === 'ok', `in process: ${esm} ${cjs}`);
  return `${path.basename(tarball)}, ${megabytes.toFixed(1)} MB: sells a domain, and starts with npx and in process`;
}

/** Checks that the manifest lists nothing of the repository only, and that links of documents lead to files. */
function checkContents(folder: string): void {
  const manifest = fs.readFileSync(path.join(folder, 'package.json'), 'utf8');
  const found = /"(?:devDependencies|dependencies|scripts|private)"|file:/.exec(manifest);
  assert(found === null, `the published package.json has ${found?.[0]}`);
  const documents = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'));
  assert(documents.length > 10, `the package has ${documents.length} documents`);
  for (const name of documents) {
    const text = fs.readFileSync(path.join(folder, name), 'utf8');
    const missing = linkedFiles(name, text).filter((f) => !fs.existsSync(path.join(folder, f)));
    assert(missing.length === 0, `${name} links to ${missing.join()}`);
  }
}

/** Runs publint and attw, which need their own TypeScript: `npm ci --prefix .ci/tools`. */
function lint(root: string, tarball: string): void {
  const tools = path.join(root, '.ci/tools');
  if (!fs.existsSync(path.join(tools, 'node_modules'))) {
    assert(!process.env.CI, 'run `npm ci --prefix .ci/tools` first');
    return;
  }
  for (const [tool, ...args] of [
    ['publint', '--strict'],
    ['attw', '--format', 'ascii'],
  ] as const) {
    const bin = path.join(tools, 'node_modules/.bin', tool);
    const { status, stdout } = spawnSync(process.execPath, [bin, ...args, tarball], {
      cwd: tools,
      encoding: 'utf8',
    });
    assert(status === 0, `${tool}: ${stdout}`);
  }
}

function run(command: string, args: string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
