import { setImmediate } from 'node:timers';

/** Makes a queue of which one waiter goes on per event-loop tick, so that long work leaves room between. */
export function onePerTick(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return last;
  };
}
