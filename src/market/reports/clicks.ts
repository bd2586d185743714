import { and, count, eq, gte, lt, sql } from 'drizzle-orm';
import { DAY, isoTime } from '../../kernel/time.ts';
import type { Owner } from '../../store/schema/partners.ts';
import { clicks } from '../../store/schema/referrals.ts';
import type { Tx } from '../../store/transaction.ts';
import { tallied, talliedByDay } from '../daily-totals/daily-totals.ts';
import { type Stretch, wholeDays } from '../daily-totals/days.ts';
import type { TimeRange } from '../daily-totals/time-range.ts';

/** Clicks on a partner's links by UTC day, oldest first; days without any are left out. */
export function clicksByDay(
  tx: Tx,
  owner: Owner,
  range: TimeRange,
): { date: string; clicks: number }[] {
  const { days, ends } = wholeDays(range);
  return [
    ...(days ? talliedByDay(tx, owner, 'click', days) : []),
    ...ends.flatMap((end) => countedByDay(tx, owner, end)),
  ]
    .sort((a, b) => a.day - b.day)
    .map(({ day, count }) => ({ date: isoTime(day * DAY).slice(0, 10), clicks: count }));
}

export function clicksIn(tx: Tx, owner: Owner, range: TimeRange): number {
  const { days, ends } = wholeDays(range);
  const atEnds = ends.flatMap((end) => countedByDay(tx, owner, end));
  const whole = days ? tallied(tx, owner, ['click'], days).count : 0;
  return atEnds.reduce((sum, day) => sum + day.count, whole);
}

function countedByDay(tx: Tx, owner: Owner, { from, to }: Stretch) {
  // Rounded down also before 1970, as the daily totals are.
  const day = sql<number>`CAST(floor(${clicks.at} / ${sql.raw(`${DAY}.0`)}) AS INTEGER)`;
  return tx.db
    .select({ day, count: count() })
    .from(clicks)
    .where(
      and(
        eq(clicks.partnerId, owner.partnerId),
        eq(clicks.environment, owner.environment),
        gte(clicks.at, from),
        lt(clicks.at, to),
      ),
    )
    .groupBy(day)
    .all();
}
