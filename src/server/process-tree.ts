import { execFileSync } from 'node:child_process';
import fs from 'node:fs';

/** Lists a process and its descendants, parents first; empty if the process has ended. */
export function processTree(root: number): number[] {
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
  const found = new Map<number, number>();
  for (const name of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = fs.readFileSync(`/proc/${name}/stat`, 'utf8');
      // The program name, in brackets, can contain any character, brackets included.
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state !== 'Z') found.set(Number(name), Number(parent));
    } catch {
      // The process has already ended.
    }
  }
  return found;
}

function fromPs(): Map<number, number> {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return new Map(pairs.map(([pid = 0, parent = 0]) => [pid, parent]));
}
