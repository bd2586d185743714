import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { processTree } from './process-tree.ts';

/** How long a command has to end by itself once it was told to. */
const GRACE_MS = 2_000;
const LOOK_AGAIN_MS = 50;

/**
 * A process of its own beside `sandlot exec`. Its standard input is a pipe from there, on which the command's
 * process id comes: when the pipe ends, whoever held it was killed, and the command has to go too. An
 * `exec` that ends in its own way ends this process before.
 */
async function watch(): Promise<void> {
  const command = Number(await text(process.stdin));
  if (!Number.isInteger(command) || command <= 0) return;
  const left = processTree(command);
  signal(left, 'SIGTERM');
  for (let waited = 0; waited < GRACE_MS && left.some(isThere); waited += LOOK_AGAIN_MS) {
    await sleep(LOOK_AGAIN_MS);
  }
  // Also what was started on the way out.
  signal(new Set(left.filter(isThere).flatMap(processTree)), 'SIGKILL');
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

void watch();
