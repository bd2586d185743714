import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { processTree } from './process-tree.ts';

/** Time that a command has to exit after SIGTERM. */
const GRACE_MS = 2_000;
const CHECK_EVERY_MS = 50;

/** Ends a process and its descendants: with SIGTERM, then with SIGKILL; on Windows at once. */
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
  // Includes processes that were started during the shutdown.
  signal(new Set(left.filter(isThere).flatMap(processTree)), 'SIGKILL');
}

/** Windows has neither `ps` nor signals that a console program can handle. */
function endOnWindows(root: number, run: (file: string, args: string[]) => unknown): void {
  try {
    run('taskkill', ['/PID', String(root), '/T', '/F']);
  } catch {
    // The process has already ended.
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
      // The process has already ended.
    }
  }
}

function isThere(pid: number): boolean {
  return processTree(pid).length > 0;
}
