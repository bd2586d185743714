import { and, gte, lt, type SQL } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
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

/** A condition that `column` lies in the range. */
export function within(column: SQLiteColumn, { from, to }: TimeRange): SQL | undefined {
  return and(
    from === undefined ? undefined : gte(column, from),
    to === undefined ? undefined : lt(column, to),
  );
}

/**
 * Splits a range into the whole days in it, whose daily totals can be read, and what is left at its ends, less than two
 * days, whose rows have to be read.
 */
export function wholeDays({ from, to }: TimeRange): { days: Days | undefined; ends: TimeRange[] } {
  const first = from === undefined ? ALL_DAYS.first : Math.ceil(from / DAY);
  const end = to === undefined ? ALL_DAYS.end : Math.floor(to / DAY);
  if (from !== undefined && to !== undefined && first >= end) {
    return { days: undefined, ends: from < to ? [{ from, to }] : [] };
  }
  const ends: TimeRange[] = [];
  if (from !== undefined && from < first * DAY) ends.push({ from, to: first * DAY });
  if (to !== undefined && end * DAY < to) ends.push({ from: end * DAY, to });
  return { days: { first, end }, ends };
}
