import { execFileSync } from 'node:child_process';
import fs from 'node:fs';

/** A process and all that it has started, parents first; empty when it has ended. */
export function processTree(root: number): number[] {
  const parents = parentsOfAll();
  if (!parents.has(root)) return [];
  const tree = [root];
  for (const parent of tree) {
    for (const [pid, its] of parents) if (its === parent) tree.push(pid);
  }
  return tree;
}

/** Every process of the machine with its parent. */
function parentsOfAll(): Map<number, number> {
  return process.platform === 'linux' ? fromProc() : fromPs();
}

/** Slim images of Linux have no `ps`. */
function fromProc(): Map<number, number> {
  const found = new Map<number, number>();
  for (const name of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = fs.readFileSync(`/proc/${name}/stat`, 'utf8');
      // The name of a program, in brackets, may hold anything, brackets too.
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state !== 'Z') found.set(Number(name), Number(parent));
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

function fromPs(): Map<number, number> {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return new Map(pairs.map(([pid = 0, parent = 0]) => [pid, parent]));
}
