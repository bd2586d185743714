import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { makeTemporaryFolder, REMOVAL } from './temporary-folder.ts';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const BIN = path.join(ROOT, 'bin/sandlot.cjs');

/** An empty working directory, removed when the test ends. */
export function emptyDirectory(): string {
  const directory = makeTemporaryFolder('sandlot-test-');
  onTestFinished(() => fs.rmSync(directory, REMOVAL));
  return directory;
}

/** A `sandlot start` in a process of its own. */
export interface ServerProcess {
  url: string;
  child: ChildProcess;
  /** Ends it with a signal and resolves, when it has ended, with its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** What a process is started under. */
interface Limits {
  /** Arguments of the shell's `ulimit`, such as `-n 64`. */
  ulimit: string;
  /** File descriptor of its stderr; a pipe if left out. */
  stderr?: number | undefined;
}

/** Starts the built command on a free port; resolves when it takes requests. */
export function startProcess(cwd: string, ...args: string[]): Promise<ServerProcess> {
  return launch(cwd, process.execPath, [BIN, 'start', '--port', '0', ...args], 'pipe');
}

/** As `startProcess`, under a limit of the operating system. */
export function startLimited(
  cwd: string,
  { ulimit, stderr = -1 }: Limits,
  ...args: string[]
): Promise<ServerProcess> {
  const limited = ['-c', `ulimit ${ulimit}; exec "$0" "$@"`, process.execPath, BIN];
  const words = [...limited, 'start', '--port', '0', ...args];
  return launch(cwd, 'sh', words, stderr < 0 ? 'pipe' : stderr);
}

async function launch(
  cwd: string,
  command: string,
  args: string[],
  stderr: 'pipe' | number,
): Promise<ServerProcess> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'ignore', stderr, 'ipc'] });
  let complaint = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => resolve((message as { ready: { url: string } }).ready.url));
    child.once('exit', () => reject(new Error(`sandlot start ended: ${complaint}`)));
  });
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  return { url, child, end };
}

/** A test waits no longer for a command, which would hold up all others of its worker. */
const MAX_RUN_MS = 240_000;

/** Runs the built command to its end. @throws if it takes too long */
export function sandlot(
  cwd: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
) {
  const { error, status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    cwd,
    env,
    encoding: 'utf8',
    timeout: MAX_RUN_MS,
  });
  if (error) throw error;
  return { status, stdout, stderr };
}

export function isRunning(pid: number): boolean {
  // A zombie has ended, and waits for the process that started it.
  const status = path.join('/proc', String(pid), 'status');
  return fs.existsSync(status) && !/^State:\s+Z/m.test(fs.readFileSync(status, 'utf8'));
}
