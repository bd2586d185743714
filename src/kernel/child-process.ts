import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import { resolvesWithin } from './runtime.ts';

/** Options of a process whose child processes can be ended with it. */
export const OWN_GROUP = { detached: process.platform !== 'win32', windowsHide: true };

/**
 * Sends a signal to a process that leads a group, and to its child processes. SIGKILL also ends those that have left the
 * group, where the system tells them (Linux). On Windows, any signal ends them.
 */
export function killGroup(
  { pid, exitCode, signalCode }: ChildProcess,
  signal: NodeJS.Signals = 'SIGKILL',
): void {
  if (pid === undefined) return;
  // Another process may have the ID of one that has ended; its group keeps the ID while a member is left.
  const isRunning = exitCode === null && signalCode === null;
  if (process.platform === 'win32') {
    const args = ['/PID', String(pid), '/T', '/F'];
    if (isRunning) spawn('taskkill', args, { stdio: 'ignore', windowsHide: true });
    return;
  }
  for (const target of [-pid, ...(isRunning && signal === 'SIGKILL' ? descendantsOf(pid) : [])]) {
    try {
      process.kill(target, signal);
    } catch {
      // It has ended.
    }
  }
}

function descendantsOf(pid: number): number[] {
  try {
    const folder = `/proc/${pid}/task`;
    const lists = fs.readdirSync(folder).map((id) => fs.readFileSync(`${folder}/${id}/children`));
    const children = lists.join('').match(/\d+/g)?.map(Number) ?? [];
    return children.flatMap((child) => [child, ...descendantsOf(child)]);
  } catch {
    return [];
  }
}

/** The status of a process that has ended, as a shell has it: 128 + signal if a signal ended it. */
export function exitStatus(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : os.constants.signals[signal]);
}

/** Options of a line of the shell whose child processes can be ended with it. @param env added to that of this process */
export function shellOptions(cwd: string | undefined, env: Record<string, string> = {}) {
  return { ...OWN_GROUP, shell: true, cwd, env: { ...process.env, ...env } };
}

type Limits = Parameters<typeof resolvesWithin>[2];

/**
 * Whether a process that was just spawned, and leads a group, ends and closes its output within `ms`, and before `signal`
 * aborts. Kills what is left of the group. Rejects if the process cannot start.
 */
export function endsWithin(child: ChildProcess, ms: number, limits: Limits): Promise<boolean> {
  return resolvesWithin(once(child, 'close'), ms, limits).finally(() => {
    killGroup(child);
    child.stdout?.destroy();
  });
}
