import { type SpawnSyncOptions, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { DEFAULT_DATA_DIR } from '../../src/server/record.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { VERSION } from '../../src/version.ts';
import { commandServer, runHere } from '../support/command-server.ts';
import { blocksOf, shellBlocksOf } from '../support/documents.ts';
import { isFree } from '../support/ports.ts';
import { BIN, emptyDirectory, ROOT } from '../support/sandlot-process.ts';
import { serverFor } from '../support/server.ts';

const DEFAULT_PORT = 4010;

/** Pages about a tool; their commands are those of the tool. */
const TOOL_PAGES = ['agents', 'golive', 'receiver-tests', 'repro'];
const LEFT_OUT = TOOL_PAGES.filter((page) => !TOOLS.some(({ name }) => name === page));

/** The commands of a clone; they run before any test does. */
const isInstallation = (block: string) => block.startsWith('git clone');

/** Commands that run until they are stopped: these run in the background while the next ones do. */
const LISTEN = /^npx sandlot webhooks listen/;

const DOCUMENTS = [
  'README.md',
  ...fs
    .readdirSync(path.join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .filter((name) => !LEFT_OUT.includes(path.basename(name, '.md')))
    .map((name) => `docs/${name}`),
].map((document) => ({ document, text: fs.readFileSync(path.join(ROOT, document), 'utf8') }));

/** Stops at the first command that fails, in a pipe too; zsh, which accepts less, reads no start-up files. */
const OPTIONS = {
  bash: ['-eu', '-o', 'pipefail'],
  zsh: ['-f', '-eu', '-o', 'pipefail'],
} as const;

const WITH_COMMANDS = DOCUMENTS.filter(({ text }) => shellBlocksOf(text).length > 0);

/** What the output of a document must contain, besides being free of errors. */
const PROMISED: Record<string, RegExp[]> = {
  'README.md': [
    /"status":"TRANSFER_COMPLETED"/,
    /"type":"order.transfer_completed"/,
    /order\.settled.*✓ signature/,
  ],
};

/** Readers run these in a clone. */
const LEAVES_NOTHING = new Set(['README.md', 'docs/getting-started.md']);

// A process that a test before has started holds a copy of each socket until its program runs.
beforeEach(async () => {
  const message = `port ${DEFAULT_PORT}, which the documents name, is in use`;
  await expect.poll(() => isFree(DEFAULT_PORT), { timeout: 30_000, message }).toBe(true);
});

const ZSH_IS_MISSING = spawnSync('zsh', ['-c', ':']).status !== 0;

test.runIf(process.env.CI)('zsh is installed where everything must pass', () => {
  expect(ZSH_IS_MISSING).toBe(false);
});

test.each(WITH_COMMANDS)('the commands of $document run as printed', async ({ document, text }) => {
  const cwd = directoryWithSandlot();
  const shell = document === 'README.md' || ZSH_IS_MISSING ? 'bash' : 'zsh';
  const env = await environment();
  const blocks = shellBlocksOf(text).filter((block) => !isInstallation(block));
  if (/sandlot start|npm start/.test(blocks.join(''))) {
    onTestFinished(async () => void (await runHere(['stop'], cwd, env)));
  } else {
    await serverFor({ data_dir: path.join(cwd, DEFAULT_DATA_DIR) });
  }

  fs.writeFileSync(path.join(cwd, 'commands.sh'), scriptOf(blocks));
  const before = new Set(fs.readdirSync(cwd));
  const { status, stdout, stderr } = await runScript(shell, cwd, env);

  expect(status, `${stdout}\n${stderr}`).toBe(0);
  if (LEAVES_NOTHING.has(document)) {
    // The script of the test writes what the receivers print.
    const isOurs = (name: string) => name === DEFAULT_DATA_DIR || /^receiver-\d+\.log$/.test(name);
    const left = fs.readdirSync(cwd).filter((name) => !before.has(name) && !isOurs(name));
    expect(left).toEqual([]);
  }
  for (const promised of PROMISED[document] ?? []) expect(stdout).toMatch(promised);
});

test('npx finds the command in node_modules', () => {
  const [cwd, env] = [directoryWithSandlot(), ownVariables()];
  expect(runToEnd('npx', ['sandlot', '--version'], { cwd, env })).toBe(`${VERSION}\n`);
});

test.each(DOCUMENTS.filter(({ text }) => blocksOf(text, 'js').length > 0))(
  'the programs of $document run as printed',
  ({ text }) => {
    const cwd = directoryWithSandlot();
    for (const [n, program] of blocksOf(text, 'js').entries()) {
      const file = path.join(cwd, `program-${n}.mjs`);
      fs.writeFileSync(file, program);
      runToEnd(process.execPath, [file], { cwd });
    }
  },
);

/** Shorter than the time limit of a test, so that what a program has printed until then is told. */
const MAX_RUN_MS = 240_000;

/** Runs a program. @returns what it printed @throws if it fails or takes too long */
function runToEnd(command: string, args: readonly string[], options: SpawnSyncOptions): string {
  const limits = { timeout: MAX_RUN_MS, killSignal: 'SIGKILL' } as const;
  const run = spawnSync(command, args, { ...options, ...limits, encoding: 'utf8' });
  expect([run.error, run.status], `${run.stdout}\n${run.stderr}`).toEqual([undefined, 0]);
  return run.stdout;
}

/**
 * Runs the script and then ends what it has left in the background.
 * @throws if the shell does not start or the script takes too long
 */
async function runScript(shell: keyof typeof OPTIONS, cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn(shell, [...OPTIONS[shell], 'commands.sh'], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const endGroup = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid);
    } catch {
      // All have ended already.
    }
  };
  onTestFinished(endGroup);
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  }
  // What is left in the background may hold the pipes open.
  child.once('exit', endGroup);
  const status = await new Promise((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
    const tooLong = () =>
      reject(new Error(`runs for ${MAX_RUN_MS} ms: ${output.stdout}\n${output.stderr}`));
    const timer = setTimeout(tooLong, MAX_RUN_MS);
    onTestFinished(() => clearTimeout(timer));
  });
  return { status, ...output };
}

/** Keeps each block as it is printed; a receiver runs in the background, and its output comes last. */
function scriptOf(blocks: readonly string[]): string {
  const receivers: string[] = [];
  const lines = blocks.map((block, n) => {
    if (!LISTEN.test(block)) return block;
    const log = `receiver-${n}.log`;
    receivers.push(log);
    const wait = `until grep -q http ${log}; do kill -0 $!; sleep 0.1; done`;
    return `${block.trimEnd()} > ${log} 2>&1 &\n${wait}\n`;
  });
  return [...lines, ...receivers.map((log) => `cat ${log}\n`)].join('');
}

/** As after `npm install sandlot`: npx and programs find the package there. */
function directoryWithSandlot(): string {
  const cwd = emptyDirectory();
  const modules = path.join(cwd, 'node_modules');
  fs.mkdirSync(path.join(modules, '.bin'), { recursive: true });
  fs.symlinkSync(BIN, path.join(modules, '.bin/sandlot'));
  fs.symlinkSync(ROOT, path.join(modules, 'sandlot'));
  fs.writeFileSync(path.join(cwd, 'package.json'), '{ "private": true }');
  return cwd;
}

/** Without the variables of another sandbox, and with a script in place of `npx`. */
async function environment(): Promise<NodeJS.ProcessEnv> {
  const bin = path.join(emptyDirectory(), 'bin');
  fs.mkdirSync(bin);
  fs.writeFileSync(path.join(bin, 'npx'), await commandServer(bin), { mode: 0o755 });
  return { ...ownVariables(), PATH: `${bin}${path.delimiter}${process.env.PATH}` };
}

function ownVariables(): NodeJS.ProcessEnv {
  const variables = Object.entries(process.env).filter(([name]) => !name.startsWith('SANDLOT_'));
  return Object.fromEntries(variables);
}
