import { parseDuration, parseIsoTime } from '../../kernel/time.ts';

export const SINCE_ERROR = 'must be a duration such as 2h, or an ISO 8601 time';

/** Reads a time, or a duration before now, in Unix ms; undefined if it is neither. */
export function readInstant(since: string, now: number): number | undefined {
  const duration = parseDuration(since);
  return duration === undefined ? parseIsoTime(since) : now - duration;
}
