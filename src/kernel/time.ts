import { countOf } from './count.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const UNIT_MS: Record<string, number> = {
  ms: 1,
  s: SECOND,
  m: MINUTE,
  h: HOUR,
  d: DAY,
  w: 7 * DAY,
};
/** The years 0000 to 9999, which have four digits, Unix ms. */
const FIRST_INSTANT = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Formats Unix ms as ISO 8601 UTC with milliseconds and `Z`, as every response does. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * Parses "90s", "11m", "1h30m", "2d" or "250ms" into milliseconds; "0" needs no unit.
 * @returns undefined if the text is not a duration, or one longer than from 1970 to 9999
 */
export function parseDuration(text: string): number | undefined {
  const compact = text.trim().toLowerCase();
  if (compact === '0') return 0;
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d|w))+$/.test(compact)) return undefined;
  let total = 0;
  for (const [, amount, unit] of compact.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d|w)/gy)) {
    total += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  }
  return total <= LAST_INSTANT ? Math.round(total) : undefined;
}

/** Formats milliseconds as "2h 5m": the two largest units; "0s" for zero. */
export function formatDuration(ms: number): string {
  if (ms < SECOND) return ms === 0 ? '0s' : `${Math.round(ms)}ms`;
  return largestUnits(ms, (count, unit) => `${count}${unit.charAt(0)}`);
}

/** Formats milliseconds as `formatDuration` does, or as "1500ms" if that would leave out a part. */
export function formatExactDuration(ms: number): string {
  const text = formatDuration(ms);
  return parseDuration(text.replaceAll(' ', '')) === ms ? text : `${ms}ms`;
}

/** Formats milliseconds as "2 hours 5 minutes": the two largest units. */
export function formatLongDuration(ms: number): string {
  if (ms < SECOND) return countOf(Math.round(ms), 'millisecond');
  return largestUnits(ms, countOf);
}

/** Formats how far a time is from real time: "2d 3h ahead of real time", or "real time". */
export function formatOffset(ms: number): string {
  // Rounded to seconds: real time advances by some milliseconds while the clock is moved.
  const difference = Math.round(Math.abs(ms) / SECOND) * SECOND;
  if (difference === 0) return 'real time';
  return `${formatDuration(difference)} ${ms > 0 ? 'ahead of' : 'behind'} real time`;
}

/** @param ms at least a second */
function largestUnits(ms: number, format: (count: number, unit: string) => string): string {
  let remainder = ms;
  const parts = UNITS.flatMap(([unit, size]) => {
    const count = Math.floor(remainder / size);
    remainder %= size;
    return count > 0 ? [format(count, unit)] : [];
  });
  return parts.slice(0, 2).join(' ');
}

const UNITS = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
  ['second', SECOND],
] as const;

const ISO_DATE_OR_TIME =
  /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/**
 * Parses an ISO 8601 date (midnight UTC), or a time with `Z` or an offset, into Unix ms. Cuts off parts of a millisecond.
 * @returns undefined for any other text, or a day that does not exist
 */
export function parseIsoTime(text: string): number | undefined {
  if (!ISO_DATE_OR_TIME.test(text)) return undefined;
  const ms = Date.parse(text);
  // An offset can lead out of these years.
  if (!(ms >= FIRST_INSTANT && ms <= LAST_INSTANT)) return undefined;
  // Date.parse reads February 30 as March 1 or 2.
  const day = text.slice(0, 10);
  return isoTime(Date.parse(day)).startsWith(day) ? ms : undefined;
}
