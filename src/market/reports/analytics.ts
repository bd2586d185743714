import { and, count } from 'drizzle-orm';
import { checkoutSessions } from '../../store/schema/checkout.ts';
import type { Owner } from '../../store/schema/partners.ts';
import { ownedBy } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { sumDailyTotals } from '../daily-totals.ts';
import { type TimeRange, wholeDays, within } from '../time-range.ts';
import { type Totals, totalsOf } from '../transactions/totals.ts';
import { clicksIn } from './clicks.ts';

/** The referral funnel of a time range, and the totals of its sales. */
export interface Analytics extends TimeRange {
  clicks: number;
  checkouts: number;
  sales: number;
  conversionRate: number;
  totals: Totals;
}

/** Returns the referral funnel of a partner (specification, GET /analytics), without refunded sales. */
export function analyticsOf(tx: Tx, owner: Owner, range: TimeRange): Analytics {
  const clicks = clicksIn(tx, owner, range);
  const sales = totalsOf(tx, owner, { ...range, paymentModel: 'marketplace_collected' }).count;
  return {
    ...range,
    clicks,
    checkouts: checkoutsIn(tx, owner, range),
    sales,
    conversionRate: clicks === 0 ? 0 : Math.round((sales / clicks) * 10_000) / 10_000,
    totals: totalsOf(tx, owner, range),
  };
}

function checkoutsIn(tx: Tx, owner: Owner, range: TimeRange): number {
  const { days, ends } = wholeDays(range);
  const whole = days ? sumDailyTotals(tx, owner, ['checkout'], days).count : 0;
  return ends.reduce((sum, end) => sum + sessionsIn(tx, owner, end), whole);
}

function sessionsIn(tx: Tx, owner: Owner, range: TimeRange): number {
  const sessions = tx.db
    .select({ n: count() })
    .from(checkoutSessions)
    .where(and(ownedBy(checkoutSessions, owner), within(checkoutSessions.createdAt, range)))
    .get();
  return sessions?.n ?? 0;
}
