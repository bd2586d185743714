import { spawn } from 'node:child_process';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { DEFAULT_DATA_DIR } from '../../src/server/record.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { BIN, emptyDirectory } from './sandlot-process.ts';
import { serverFor } from './server.ts';

/** Starts a server in this process; commands in its folder find it. */
export async function serve() {
  const cwd = emptyDirectory();
  const data_dir = path.join(cwd, DEFAULT_DATA_DIR);
  const settings = { data_dir, port: 0, inventory: 20, frozen_at: '2026-03-02T09:00:00Z' };
  return { cwd, server: await serverFor(settings, { tools: TOOLS }) };
}

/** Runs the built command; the readers of its output end before it prints. @returns its exit code */
export function runUnread(cwd: string, args: readonly string[]): Promise<number | null> {
  const child = spawn(process.execPath, [BIN, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdout.destroy();
  child.stderr.destroy();
  return new Promise((resolve) => child.once('exit', resolve));
}
