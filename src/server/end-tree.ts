import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { sleep } from '../kernel/timers.ts';

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
  const pids = processTree(root);
  signal(pids, 'SIGTERM');
  for (let waited = 0; waited < GRACE_MS && pids.some(isThere); waited += CHECK_EVERY_MS) {
    await sleep(CHECK_EVERY_MS);
  }
  // Includes processes that were started during the shutdown.
  signal(new Set(pids.filter(isThere).flatMap(processTree)), 'SIGKILL');
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

/** Lists a process and its descendants, parents first; empty if the process has ended. */
function processTree(root: number): number[] {
  const parents = parentsOfAll();
  if (!parents.has(root)) return [];
  const tree = [root];
  for (const parent of tree) {
    for (const [pid, its] of parents) if (its === parent) tree.push(pid);
  }
  return tree;
}

/** Lists the parent of every process of the machine. */
function parentsOfAll(): Map<number, number> {
  return process.platform === 'linux' ? fromProc() : fromPs();
}

/** Reads /proc, because slim Linux images have no `ps`. */
function fromProc(): Map<number, number> {
  const parents = new Map<number, number>();
  for (const name of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = fs.readFileSync(`/proc/${name}/stat`, 'utf8');
      // The program name, in brackets, can contain any character, brackets included.
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state !== 'Z') parents.set(Number(name), Number(parent));
    } catch {
      // The process has already ended.
    }
  }
  return parents;
}

function fromPs(): Map<number, number> {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return new Map(pairs.map(([pid = 0, parent = 0]) => [pid, parent]));
}
