import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { checkCommand } from './command.ts';
import { expect } from './expect.ts';

const USE =
  'createSandbox().then(async (s) => { console.log((await s.control.get("/health")).status); await s.close(); })';

/** Packs what would be published and uses it as a stranger would, in an empty folder. */
export async function checkPackage(root: string, empty: string): Promise<string> {
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', empty], root));
  const tarball = path.join(empty, packed.filename);
  const megabytes = packed.size / 1e6;
  expect(megabytes < 12, `the tarball has ${megabytes.toFixed(1)} MB`);

  const work = path.join(empty, 'work');
  fs.mkdirSync(work);
  const npx = (...args: string[]) =>
    run('npx', ['--yes', '--package', tarball, 'sandlot', ...args], work);
  expect(/^\d+\.\d+\.\d+\n$/.test(npx('--version')), 'npx does not print a version');

  fs.writeFileSync(path.join(work, 'package.json'), '{ "private": true }');
  run('npm', ['install', '--no-audit', '--no-fund', tarball], work);
  const modules = path.join(work, 'node_modules');
  const installed = fs.readdirSync(modules).filter((name) => !name.startsWith('.'));
  expect(installed.join() === 'sandlot', `installing it brought ${installed.join()}`);
  await checkCommand((...args) => run(path.join(modules, '.bin/sandlot'), args, work));

  const esm = run(
    'node',
    ['--input-type=module', '-e', `import { createSandbox } from 'sandlot'; ${USE}`],
    work,
  );
  const cjs = run('node', ['-e', `const { createSandbox } = require('sandlot'); ${USE}`], work);
  expect(esm.trim() === 'ok' && cjs.trim() === 'ok', `in process: ${esm} ${cjs}`);
  return `${packed.filename}, ${megabytes.toFixed(1)} MB: sells a domain, and starts with npx and in process`;
}

function run(command: string, args: string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
