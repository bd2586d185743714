import { type ChildProcess, spawn } from 'node:child_process';

/** Options of a process whose child processes can be ended with it. */
export const OWN_GROUP = { detached: process.platform !== 'win32', windowsHide: true };

/** Ends a process that was started with `OWN_GROUP`, and its child processes. */
export function killGroup({ pid, exitCode }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    if (process.platform !== 'win32') process.kill(-pid, 'SIGKILL');
    else if (exitCode === null) {
      const args = ['/PID', String(pid), '/T', '/F'];
      spawn('taskkill', args, { stdio: 'ignore', windowsHide: true });
    }
  } catch {
    // It has ended.
  }
}
