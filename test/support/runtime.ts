import { type Runtime, systemRuntime } from '../../src/kernel/runtime.ts';

/** Real time in a test's hands: it stands until moved, and sleeping takes none of it. */
export interface TestRuntime extends Runtime {
  /** Unix ms. */
  time: number;
  /** What was elapsed, in order, ms. */
  elapsed: number[];
}

export function testRuntime(start = Date.UTC(2026, 2, 2, 9)): TestRuntime {
  const runtime: TestRuntime = {
    ...systemRuntime,
    time: start,
    elapsed: [],
    now: () => runtime.time,
    sleep: async (ms) => {
      runtime.elapsed.push(ms);
    },
  };
  return runtime;
}

/** Real time that moves on by `stepMs` at each reading, as a busy machine's may. */
export function jumpyRuntime(stepMs: () => number, start = Date.UTC(2026, 2, 2, 9)): Runtime {
  let time = start;
  return {
    ...systemRuntime,
    now: () => {
      time += stepMs();
      return time;
    },
  };
}
