import { clearTimeout, setImmediate, setTimeout, sleep } from './timers.ts';

/** Real time and timers. Passed in, so that tests can control them. */
export interface Runtime {
  /** Real time, Unix ms: the same during an event-loop tick. Durations and timeouts use `monotonic`. */
  now(): number;
  /** Milliseconds from an arbitrary point, never backward; for durations. */
  monotonic(): number;
  /** Resolves after `ms` of real time, at most 24 days, or at once when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Runs `task` after `ms`, at most 24 days, without keeping the process alive. @returns a function that cancels it */
  after(ms: number, task: () => void): () => void;
}

/** Longest delay of a Node.js timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Reads a clock once per event-loop tick, so that a request, its transaction and the code after an `await` in
 * the same tick have the same time.
 */
function cachePerTick(read: () => number): () => number {
  let reading: number | undefined;
  return () => {
    if (reading === undefined) {
      reading = read();
      setImmediate(() => {
        reading = undefined;
      });
    }
    return reading;
  };
}

export const systemRuntime: Runtime = {
  // As the timers, both clocks are taken before a test replaces them.
  now: cachePerTick(Date.now),
  monotonic: performance.now.bind(performance),
  // It rejects only if the signal aborts.
  sleep: (ms, signal) => sleep(Math.min(ms, MAX_TIMER_MS), undefined, { signal }).catch(() => {}),
  after: (ms, task) => {
    const timer = setTimeout(task, Math.min(Math.max(ms, 0), MAX_TIMER_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Whether a promise resolves within `ms` of real time, and before `signal` aborts. Rejects if it rejects. Leaves no timer. */
export function resolvesWithin(
  promise: Promise<unknown>,
  ms: number,
  { runtime, signal }: { runtime: Runtime; signal?: AbortSignal },
): Promise<boolean> {
  const finished = new AbortController();
  const limit = runtime.sleep(ms, AbortSignal.any([finished.signal, ...(signal ? [signal] : [])]));
  const inTime = Promise.race([promise.then(() => true), limit.then(() => false)]);
  return inTime.finally(() => finished.abort());
}

/** Returns a queue that admits one waiter per event-loop tick, so that long work does not block others. */
export function queuePerTick(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return last;
  };
}
