import { HOUR, MINUTE, SECOND } from '../kernel/time.ts';

/** Waits between attempts, on the sandbox clock (decisions, "Webhooks"): eight attempts in all. */
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
 * When to try again.
 * @param attemptsMade how many have failed, at least 1
 * @param now sandbox time of the last, Unix ms
 * @returns undefined when there is no further attempt
 */
export function nextAttemptAt(attemptsMade: number, now: number): number | undefined {
  const wait = WAITS_MS[attemptsMade - 1];
  return wait === undefined ? undefined : now + wait;
}
