import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ControlClient } from '../../src/client/control-client.ts';
import { allPages } from './partner.ts';

const BIN = fileURLToPath(new URL('../../bin/sandlot.cjs', import.meta.url));

/** A `sandlot start` in its own process. */
export interface Server {
  url: string;
  pid: number;
  control: ControlClient;
  /** Its output on stderr. */
  stderr(): string;
  hasEnded(): boolean;
  kill(): Promise<void>;
  /** Stops it with SIGTERM; resolves with its exit code. */
  stop(): Promise<number | null>;
}

export interface StartOptions {
  args?: readonly string[];
  /** Added to the environment. */
  env?: Record<string, string>;
}

/** The environment of a server with little memory: garbage is collected early and does not look like a leak. */
export const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=64' };

const START_TIMEOUT_MS = 60_000;

/** A folder for the state and servers of a campaign; both are removed when `run` ends. */
export interface Workspace {
  dir: string;
  /** @throws Error with its output if it does not accept requests */
  start(options?: StartOptions): Promise<Server>;
}

/** Runs a campaign in an empty folder. */
export async function inWorkspace<T>(run: (workspace: Workspace) => Promise<T>): Promise<T> {
  const dir = emptyFolder();
  const children = new Set<ChildProcess>();
  const killAll = () => {
    for (const child of children) child.kill('SIGKILL');
  };
  const remove = () => fs.rmSync(dir, { recursive: true, force: true });
  // A campaign that hangs, for example a test that timed out, ends with this process.
  const atExit = () => {
    killAll();
    remove();
  };
  process.once('exit', atExit);
  try {
    return await run({ dir, start: (options) => start(dir, children, options) });
  } finally {
    const ended = [...children].map((child) => once(child, 'exit'));
    killAll();
    await Promise.all(ended);
    process.removeListener('exit', atExit);
    remove();
  }
}

function emptyFolder(): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-torture-'));
}

async function start(
  dir: string,
  children: Set<ChildProcess>,
  { args = [], env = {} }: StartOptions = {},
): Promise<Server> {
  const line = [BIN, 'start', '--port', '0', '--data-dir', path.join(dir, 'state'), ...args];
  const child = spawn(process.execPath, line, {
    cwd: dir,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  if (child.pid !== undefined) children.add(child);
  child.once('exit', () => children.delete(child));
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.once('exit', (code, signal) => {
    // Campaigns kill servers on purpose.
    if (code !== 0 && signal !== 'SIGKILL')
      console.error(`the server ended with ${signal ?? `exit code ${code}`}: ${stderr}`);
  });
  const tooLate = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message: { ready?: { url: string } }) => {
      if (message.ready) resolve(message.ready.url);
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      reject(new Error(stderr.trim() || `ended without output: ${signal ?? `exit code ${code}`}`));
    });
  }).finally(() => clearTimeout(tooLate));
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  return {
    url,
    pid: child.pid ?? 0,
    control: new ControlClient({
      baseUrl: url,
      fetch: (target, init) => fetch(target, init as RequestInit),
    }),
    stderr: () => stderr,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  };
}

/** Returns every item of a control API list. */
export async function listAll<T>(
  control: ControlClient,
  route: string,
  field: string,
): Promise<T[]> {
  return allPages(field, (cursor) => control.get(route, { limit: 100, ...cursor }));
}

/** Returns the resident memory of a process in bytes; 0 if the system does not report it. */
export function memoryOf({ pid }: Server): number {
  const file = `/proc/${pid}/status`;
  if (!fs.existsSync(file)) return 0;
  return Number(/^VmRSS:\s+(\d+)/m.exec(fs.readFileSync(file, 'utf8'))?.[1] ?? 0) * 1024;
}
