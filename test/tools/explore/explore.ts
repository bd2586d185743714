import { runCommandLine } from '../../../src/cli/run.ts';
import { systemRuntime } from '../../../src/kernel/runtime.ts';
import { TOOLS } from '../../../src/tools/index.ts';
import { NODE } from './apps.ts';

export interface Report {
  findings: {
    id: string;
    property: string;
    sentence: string;
    faults: { kind: string; point: string; by_hand: string[] }[];
    rate: string;
    run_again: string;
  }[];
  saved: { id: string; property: string; status: string }[];
  points: string[];
  plan: string[];
  planned: number;
  run: number;
  kinds: Record<string, { planned: number; run: number; acted: number }>;
  not_run: { count: number; why: string } | null;
  not_measured: string[];
  notes: string[];
  error?: { code: string; message: string; output: string[] };
}

interface Place {
  cwd: string;
  env?: Record<string, string>;
  /** Interrupts the search. */
  signal?: AbortSignal;
  /** Called with all that was printed so far. */
  printed?: (text: string) => void;
}

export interface Explored {
  code: number;
  out: string;
  err: string;
  /** The output if it is JSON. */
  readonly report: Report;
}

/** Runs `sandlot explore` in this process. */
export async function explore(args: readonly string[], place: Place): Promise<Explored> {
  const { cwd, env = {}, signal = new AbortController().signal, printed } = place;
  const output = { out: '', err: '' };
  const stream = (name: keyof typeof output) => ({
    write(text: string | Uint8Array) {
      output[name] += text;
      printed?.(output.out + output.err);
    },
  });
  const code = await runCommandLine(
    ['explore', '--inventory', '20', '--frozen-at', '2026-01-05T09:00:00Z', ...args],
    {
      stdout: stream('out'),
      stderr: stream('err'),
      async *stdinChunks() {},
      env: { ...process.env, ...env },
      cwd,
      fetch: (url, init) => fetch(url, init as RequestInit),
      runtime: systemRuntime,
      interruption: () => signal,
    },
    TOOLS,
  );
  return {
    code,
    ...output,
    get report() {
      return JSON.parse(output.out) as Report;
    },
  };
}

/** The words of a command for a shell. */
export function lineOf(...words: string[]): string {
  return words.map((word) => `'${word}'`).join(' ');
}

/** A workload that runs a script. */
export function script(file: string, ...args: string[]): string[] {
  return ['--', NODE, file, ...args];
}
