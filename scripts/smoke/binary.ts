import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { checkCommand } from './command.ts';
import { expect } from './expect.ts';
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
  expect(megabytes < 140, `the executable has ${megabytes.toFixed(0)} MB`);
  expect(fs.existsSync(path.join(folder, 'LICENSE.node')), "Node.js's license is missing");

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
    Array.from({ length: AT_ONCE }, () => outputOf(executable, ['--version'], env)),
  );
  const first = versions[0]?.trim() ?? '';
  expect(
    new Set(versions).size === 1 && /^\d+\.\d+\.\d+$/.test(first),
    `eight first runs print different versions:\n${versions.join('')}`,
  );
  const cache = at('home/.cache/sandlot');
  const [version = '', ...others] = fs.readdirSync(cache);
  expect(others.length === 0, `eight first runs left ${others.join()} too`);

  await checkCommand(sandlot);
  // Same size, other contents: the executable detects the change.
  for (const name of fs.readdirSync(path.join(cache, version, 'dist'))) {
    if (name.endsWith('.cjs')) plant(path.join(cache, version, 'dist', name), 'throw 1;');
  }
  const [library = ''] = fs.readdirSync(path.join(cache, version, 'prebuilds'));
  plant(path.join(cache, version, 'prebuilds', library), 'throw 1;');
  await checkCommand(sandlot);

  const left = [...fs.readdirSync(at('home')), ...fs.readdirSync(at('tmp'))];
  expect(left.join() === '.cache', `it wrote ${left.join()}`);
  const state = fs.readdirSync(at('state'));
  expect(state.join() === '.sandlot', `it wrote ${state.join()} into the working directory`);
  const image = await checkImage(root, folder, empty);
  return `executable, ${megabytes.toFixed(0)} MB: sells a domain without Node.js\n${image}`;
}

function plant(file: string, code: string): void {
  const bytes = fs.readFileSync(file);
  fs.writeFileSync(file, Buffer.concat([Buffer.from(code), bytes]).subarray(0, bytes.length));
}

function which(tool: string): string {
  return execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim();
}

/** Returns stdout and stderr of a process. */
function outputOf(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.once('close', () => resolve(output));
  });
}
