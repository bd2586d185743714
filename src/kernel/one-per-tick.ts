import { setImmediate } from 'node:timers';

/** Returns a queue that admits one waiter per event-loop tick, so that long work does not block others. */
export function onePerTick(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return last;
  };
}
