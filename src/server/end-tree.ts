import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { processTree } from './process-tree.ts';

/** Time that a command has to exit by itself after the signal. */
const GRACE_MS = 2_000;
const CHECK_EVERY_MS = 50;

/** Ends a process and everything it has started, gently first where the system knows how. */
export async function endTree(
  root: number,
  platform: NodeJS.Platform = process.platform,
  run: (file: string, args: string[]) => unknown = runHidden,
): Promise<void> {
  if (platform === 'win32') return endOnWindows(root, run);
  const left = processTree(root);
  signal(left, 'SIGTERM');
  for (let waited = 0; waited < GRACE_MS && left.some(isThere); waited += CHECK_EVERY_MS) {
    await sleep(CHECK_EVERY_MS);
  }
  // Also what was started on the way out.
  signal(new Set(left.filter(isThere).flatMap(processTree)), 'SIGKILL');
}

/** Windows has neither `ps` nor a signal that a console program could handle. */
function endOnWindows(root: number, run: (file: string, args: string[]) => unknown): void {
  try {
    run('taskkill', ['/PID', String(root), '/T', '/F']);
  } catch {
    // It has ended meanwhile.
  }
}

function runHidden(file: string, args: string[]): void {
  execFileSync(file, args, { stdio: 'ignore', windowsHide: true });
}

function signal(pids: Iterable<number>, name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended meanwhile.
    }
  }
}

function isThere(pid: number): boolean {
  return processTree(pid).length > 0;
}
