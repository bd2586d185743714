import { type Runtime, systemRuntime } from '../../src/kernel/runtime.ts';

/** A machine whose timers go off only when the test rings them. */
export interface ManualTimers extends Runtime {
  /** Delays of the timers that wait, ms. */
  waiting(): number[];
  /** Sets off every timer that waits for `ms`. */
  ring(ms: number): void;
}

export function manualTimers(): ManualTimers {
  const timers = new Set<{ ms: number; task: () => void }>();
  return {
    ...systemRuntime,
    after: (ms, task) => {
      const timer = { ms, task };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    waiting: () => [...timers].map(({ ms }) => ms),
    ring: (ms) => {
      for (const timer of [...timers].filter((each) => each.ms === ms)) {
        timers.delete(timer);
        timer.task();
      }
    },
  };
}
