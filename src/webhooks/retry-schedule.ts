import { HOUR, MINUTE, SECOND } from '../kernel/time.ts';

/** Waits between attempts, on the sandbox clock: eight attempts in all. */
const WAITS_MS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  6 * HOUR,
] as const;

export const MAX_ATTEMPTS = WAITS_MS.length + 1;

/**
 * Returns the time of the next attempt; undefined if there is none.
 * @param attemptsMade failed attempts, at least 1
 * @param now sandbox time at which the last one failed, Unix ms
 */
export function nextAttemptAt(attemptsMade: number, now: number): number | undefined {
  const wait = WAITS_MS[attemptsMade - 1];
  return wait === undefined ? undefined : now + wait;
}
