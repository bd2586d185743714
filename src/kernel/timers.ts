import timers from 'node:timers';
import promises from 'node:timers/promises';

// Taken when the package is loaded: the fake timers of a test, which replace those of Node.js later, never fire.
export const {
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  setImmediate,
  clearImmediate,
} = timers;

export const {
  setTimeout: sleep,
  /** Resolves in the next turn of the event loop. */
  setImmediate: nextTurn,
} = promises;
