import { DAY } from '../../kernel/time.ts';
import type { TimeRange } from './time-range.ts';

/** Whole days since 1970, UTC: `first` inclusive, `end` exclusive. */
export interface Days {
  first: number;
  end: number;
}

/** A stretch of time with both ends, Unix ms: `from` inclusive, `to` exclusive. */
export interface Stretch {
  from: number;
  to: number;
}

export const ALL_DAYS: Days = { first: Number.MIN_SAFE_INTEGER, end: Number.MAX_SAFE_INTEGER };

/**
 * The whole days in a window, whose daily totals are read, and what is left at its ends, whose rows are: less than
 * two days of them.
 */
export function wholeDays({ from, to }: TimeRange): { days: Days | undefined; ends: Stretch[] } {
  const first = from === undefined ? ALL_DAYS.first : Math.ceil(from / DAY);
  const end = to === undefined ? ALL_DAYS.end : Math.floor(to / DAY);
  if (from !== undefined && to !== undefined && first >= end) {
    return { days: undefined, ends: from < to ? [{ from, to }] : [] };
  }
  const ends: Stretch[] = [];
  if (from !== undefined && from < first * DAY) ends.push({ from, to: first * DAY });
  if (to !== undefined && end * DAY < to) ends.push({ from: end * DAY, to });
  return { days: { first, end }, ends };
}
