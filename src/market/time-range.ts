import { DAY } from '../kernel/time.ts';

/** A range of sandbox time, Unix ms: `from` inclusive, `to` exclusive, both optional. */
export interface TimeRange {
  from?: number | undefined;
  to?: number | undefined;
}

/** Whole days since 1970, UTC: `first` inclusive, `end` exclusive. */
export interface Days {
  first: number;
  end: number;
}

export const ALL_DAYS: Days = { first: Number.MIN_SAFE_INTEGER, end: Number.MAX_SAFE_INTEGER };
const NO_DAYS: Days = { first: 0, end: 0 };

/** A part of one day, Unix ms: `from` inclusive, `to` exclusive. */
export interface PartOfDay {
  from: number;
  to: number;
}

/**
 * Splits a range into the whole days in it, whose daily totals can be read, and what is left at its ends: parts of at
 * most two days, whose rows have to be read.
 */
export function wholeDays({ from, to }: TimeRange): { days: Days; ends: PartOfDay[] } {
  const first = from === undefined ? ALL_DAYS.first : Math.ceil(from / DAY);
  const end = to === undefined ? ALL_DAYS.end : Math.floor(to / DAY);
  if (from !== undefined && to !== undefined && first > end) {
    return { days: NO_DAYS, ends: from < to ? [{ from, to }] : [] };
  }
  const ends: PartOfDay[] = [];
  if (from !== undefined && from < first * DAY) ends.push({ from, to: first * DAY });
  if (to !== undefined && end * DAY < to) ends.push({ from: end * DAY, to });
  return { days: { first, end }, ends };
}
