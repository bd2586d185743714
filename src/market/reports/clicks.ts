import { and, count, sql } from 'drizzle-orm';
import { DAY, isoTime } from '../../kernel/time.ts';
import type { Owner } from '../../store/schema/partners.ts';
import { clicks } from '../../store/schema/referrals.ts';
import { ownedBy } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { countsByDay, sumDailyTotals } from '../daily-totals.ts';
import { type TimeRange, wholeDays, within } from '../time-range.ts';

/** Counts the clicks on a partner's links by UTC day, oldest first, without days that have none. */
export function clicksByDay(
  tx: Tx,
  owner: Owner,
  range: TimeRange,
): { date: string; clicks: number }[] {
  const { days, ends } = wholeDays(range);
  return [
    ...(days ? countsByDay(tx, owner, 'click', days) : []),
    ...ends.flatMap((end) => countedByDay(tx, owner, end)),
  ]
    .sort((a, b) => a.day - b.day)
    .map(({ day, count }) => ({ date: isoTime(day * DAY).slice(0, 10), clicks: count }));
}

export function clicksIn(tx: Tx, owner: Owner, range: TimeRange): number {
  const { days, ends } = wholeDays(range);
  const atEnds = ends.flatMap((end) => countedByDay(tx, owner, end));
  const whole = days ? sumDailyTotals(tx, owner, ['click'], days).count : 0;
  return atEnds.reduce((sum, day) => sum + day.count, whole);
}

function countedByDay(tx: Tx, owner: Owner, range: TimeRange) {
  // Rounds down also before 1970, like the daily totals.
  const day = sql<number>`CAST(floor(${clicks.at} / ${sql.raw(`${DAY}.0`)}) AS INTEGER)`;
  return tx.db
    .select({ day, count: count() })
    .from(clicks)
    .where(and(ownedBy(clicks, owner), within(clicks.at, range)))
    .groupBy(day)
    .all();
}
