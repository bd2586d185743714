import { DAY, isoTime } from '../../kernel/time.ts';
import type { Owner } from '../../store/schema/partners.ts';
import { clicks } from '../../store/schema/referrals.ts';
import type { Tx } from '../../store/transaction.ts';
import { countsByDay, rowCounter, sumDailyTotals } from '../daily-totals.ts';
import { type TimeRange, wholeDays } from '../time-range.ts';

const countClicks = rowCounter(clicks, clicks.at);

/** Counts the clicks on a partner's links by UTC day, oldest first, without days that have none. */
export function clicksByDay(
  tx: Tx,
  owner: Owner,
  range: TimeRange,
): { date: string; clicks: number }[] {
  const { days, ends } = wholeDays(range);
  const atEnds = ends.map((end) => ({
    day: Math.floor(end.from / DAY),
    count: countClicks(tx, owner, end),
  }));
  return [...countsByDay(tx, owner, 'click', days), ...atEnds.filter(({ count }) => count > 0)]
    .sort((a, b) => a.day - b.day)
    .map(({ day, count }) => ({ date: isoTime(day * DAY).slice(0, 10), clicks: count }));
}

export function clicksIn(tx: Tx, owner: Owner, range: TimeRange): number {
  const { days, ends } = wholeDays(range);
  const whole = sumDailyTotals(tx, owner, ['click'], days).count;
  return ends.reduce((sum, end) => sum + countClicks(tx, owner, end), whole);
}
