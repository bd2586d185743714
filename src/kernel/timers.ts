import timers from 'node:timers';
import promises from 'node:timers/promises';

// Taken when the package is loaded: a test may replace those of Node.js by fake ones, which do not fire by themselves.
export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = timers;

export const {
  setTimeout: sleep,
  /** Resolves in the next turn of the event loop. */
  setImmediate: nextTurn,
} = promises;
