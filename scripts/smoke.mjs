// Packs what would be published and uses it as a stranger would: npx of the tarball in an empty folder,
// and the in-process API from ESM and CommonJS. Expects a build.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const empty = fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-smoke-'));
const run = (command, args, cwd) => execFileSync(command, args, { cwd, encoding: 'utf8' });

try {
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', empty], root));
  const tarball = path.join(empty, packed.filename);
  const megabytes = packed.size / 1e6;
  expect(megabytes < 12, `the tarball has ${megabytes.toFixed(1)} MB`);

  const work = path.join(empty, 'work');
  fs.mkdirSync(work);
  const sandlot = (...args) =>
    run('npx', ['--yes', '--package', tarball, 'sandlot', ...args], work);
  const { url } = JSON.parse(sandlot('start', '--port', '0', '--detach', '--json'));
  try {
    const health = await fetch(`${url}/_sandbox/health`);
    expect(health.status === 200, `health answered ${health.status}`);
    const found = JSON.parse(sandlot('request', 'GET', '/api/partner/v1/domains/search?q=coffee'));
    expect(found.domains.length === 5, `a search for coffee found ${found.domains.length}`);
  } finally {
    sandlot('stop');
  }

  fs.writeFileSync(path.join(work, 'package.json'), '{ "private": true }');
  run('npm', ['install', '--no-audit', '--no-fund', tarball], work);
  const installed = fs
    .readdirSync(path.join(work, 'node_modules'))
    .filter((name) => !name.startsWith('.'));
  expect(installed.join() === 'sandlot', `installing it brought ${installed.join()}`);
  const use =
    'createSandbox().then(async (s) => { console.log((await s.control.get("/health")).status); await s.close(); })';
  const esm = run(
    'node',
    ['--input-type=module', '-e', `import { createSandbox } from 'sandlot'; ${use}`],
    work,
  );
  const cjs = run('node', ['-e', `const { createSandbox } = require('sandlot'); ${use}`], work);
  expect(esm.trim() === 'ok' && cjs.trim() === 'ok', `in process: ${esm} ${cjs}`);

  console.log(
    `smoke: ${packed.filename}, ${megabytes.toFixed(1)} MB: starts with npx, and in process`,
  );
} finally {
  fs.rmSync(empty, { recursive: true, force: true });
}

function expect(truth, otherwise) {
  if (!truth) throw new Error(`smoke: ${otherwise}`);
}
