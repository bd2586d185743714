import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { checkCommand } from './command.ts';
import { checkImage } from './image.ts';

const AT_ONCE = 8;
/** Programs that the tests of `exec` run; sandlot itself needs nothing from PATH. */
const TOOLS = ['sh', 'sleep'];

/** Builds the executable and uses it without Node.js, in an empty folder. */
export async function checkBinary(root: string, empty: string): Promise<string> {
  const out = path.join(empty, 'release');
  execFileSync(process.execPath, [path.join(root, 'scripts/binary/build.ts'), '--out', out], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const folder = path.join(out, `${process.platform}-${process.arch}`);
  const executable = path.join(empty, 'sandlot');
  fs.copyFileSync(path.join(folder, 'sandlot'), executable);
  const megabytes = fs.statSync(executable).size / 1e6;
  assert(megabytes < 140, `the executable has ${megabytes.toFixed(0)} MB`);
  assert(fs.existsSync(path.join(folder, 'LICENSE.node')), "Node.js's license is missing");

  const at = (name: string) => path.join(empty, name);
  for (const name of ['home', 'tmp', 'tools', 'state']) fs.mkdirSync(at(name));
  for (const tool of TOOLS) fs.symlinkSync(which(tool), at(`tools/${tool}`));
  const env = { PATH: at('tools'), HOME: at('home'), TMPDIR: at('tmp') };
  const sandlot = (...args: string[]) =>
    execFileSync(executable, args, {
      cwd: at('state'),
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  const versions = await Promise.all(
    Array.from({ length: AT_ONCE }, () => promisify(execFile)(executable, ['--version'], { env })),
  );
  const outputs = new Set(versions.map(({ stdout, stderr }) => stdout + stderr));
  const [output = ''] = outputs;
  assert(
    outputs.size === 1 && /^\d+\.\d+\.\d+\n$/.test(output),
    `eight first runs print ${[...outputs].join('')}`,
  );
  const [, ...others] = fs.readdirSync(at('home/.cache/sandlot'));
  assert(others.length === 0, `eight first runs left ${others.join()} too`);

  await checkCommand(sandlot);
  const left = [...fs.readdirSync(at('home')), ...fs.readdirSync(at('tmp'))];
  assert(left.join() === '.cache', `it wrote ${left.join()}`);
  const state = fs.readdirSync(at('state'));
  assert(state.join() === '.sandlot', `it wrote ${state.join()} into the working directory`);
  const image = await checkImage(root, folder, empty);
  return `executable, ${megabytes.toFixed(0)} MB: sells a domain without Node.js\n${image}`;
}

function which(tool: string): string {
  return execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim();
}
