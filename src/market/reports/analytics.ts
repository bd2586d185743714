import { checkoutSessions } from '../../store/schema/checkout.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import { rowCounter, sumDailyTotals } from '../daily-totals.ts';
import { type TimeRange, wholeDays } from '../time-range.ts';
import { type Totals, totalsOf } from '../transactions/totals.ts';
import { clicksIn } from './clicks.ts';

const countSessions = rowCounter(checkoutSessions, checkoutSessions.createdAt);

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
  const whole = sumDailyTotals(tx, owner, ['checkout'], days).count;
  return ends.reduce((sum, end) => sum + countSessions(tx, owner, end), whole);
}
