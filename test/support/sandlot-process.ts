import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const BIN = path.join(ROOT, 'bin/sandlot.cjs');

/** An empty working directory, removed when the test ends. */
export function emptyDirectory(): string {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-story-'));
  onTestFinished(() => fs.rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A `sandlot start` in a process of its own. */
export interface ServerProcess {
  url: string;
  child: ChildProcess;
  /** Ends it with a signal and resolves, when it has ended, with its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts the built command on a free port; resolves when it takes requests. */
export async function startProcess(cwd: string, ...args: string[]): Promise<ServerProcess> {
  const child = spawn(process.execPath, [BIN, 'start', '--port', '0', ...args], {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
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

/** Runs the built command to its end. */
export function sandlot(
  cwd: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    cwd,
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}
