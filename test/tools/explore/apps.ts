import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';

export const APPS = path.join(import.meta.dirname, 'apps');
export const NODE = process.execPath;

/** Set, all faults are searched in the sample apps, each case three times. */
export const IS_FULL = process.env.SANDLOT_TEST_EXPLORE !== undefined;

/** The interpreter itself: a wrapper that selects its version starts more slowly. */
function findPython(): string | undefined {
  const script = 'import sys; print(sys.executable)';
  const { status, stdout } = spawnSync('python3', ['-c', script], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

const PYTHON = findPython();
/** Without Python, its tests are skipped; in CI, they fail. */
export const HAS_PYTHON = PYTHON !== undefined || process.env.CI !== undefined;

export interface Shop {
  /** The program and its file. */
  command: [string, string];
  env?: Record<string, string>;
  isMissing?: boolean;
  /** It receives webhooks; else it polls. */
  hasReceiver: boolean;
}

const node: Shop = { command: [NODE, path.join(APPS, 'shop.mjs')], hasReceiver: true };

export const SHOPS: Record<'node' | 'worker' | 'python', Shop> = {
  node,
  worker: { ...node, env: { WORKER_MS: '0' } },
  python: {
    command: [PYTHON ?? 'python3', path.join(APPS, 'shop.py')],
    isMissing: !HAS_PYTHON,
    hasReceiver: false,
  },
};

/** The shop with one mistake. */
export function wrongShop(mistake: string): Shop {
  const command: Shop['command'] = [NODE, path.join(APPS, 'wrong-shop.mjs')];
  return { ...node, command, env: { MISTAKE: mistake } };
}

/** Starts a program. */
export function run(
  [file, ...args]: [string, ...string[]],
  options: { cwd: string; env: NodeJS.ProcessEnv },
) {
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const ended = new Promise<typeof output & { code: number | null }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...output }));
  });
  return { child, ended };
}
