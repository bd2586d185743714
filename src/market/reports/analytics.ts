import { and, count, eq, gte, lt } from 'drizzle-orm';
import { checkoutSessions } from '../../store/schema/checkout.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import { type Stretch, wholeDays } from '../tallies/days.ts';
import { tallied } from '../tallies/tallies.ts';
import { type Window, windowView } from '../tallies/window.ts';
import { totalsOf } from '../transactions/totals.ts';
import { clicksIn } from './clicks.ts';

/**
 * The referral funnel, and the sums of GET /transactions over the same window (specification, GET
 * /analytics). Refunded sales are counted nowhere.
 */
export function analyticsView(tx: Tx, owner: Owner, window: Window) {
  const clicks = clicksIn(tx, owner, window);
  const sales = totalsOf(tx, owner, { ...window, paymentModel: 'marketplace_collected' }).count;
  const all = totalsOf(tx, owner, window);
  return {
    ...windowView(window),
    funnel: {
      clicks,
      checkouts: checkoutsIn(tx, owner, window),
      sales,
      conversion_rate: clicks === 0 ? 0 : Math.round((sales / clicks) * 10_000) / 10_000,
    },
    orders: { count: all.count, gmv_cents: all.gmv_cents },
    commission_cents: all.commission_cents,
    currency: all.currency,
  };
}

function checkoutsIn(tx: Tx, owner: Owner, window: Window): number {
  const { days, ends } = wholeDays(window);
  const whole = days ? tallied(tx, owner, ['checkout'], days).count : 0;
  return ends.reduce((sum, end) => sum + sessionsIn(tx, owner, end), whole);
}

function sessionsIn(tx: Tx, owner: Owner, { from, to }: Stretch): number {
  const sessions = tx.db
    .select({ n: count() })
    .from(checkoutSessions)
    .where(
      and(
        eq(checkoutSessions.partnerId, owner.partnerId),
        eq(checkoutSessions.environment, owner.environment),
        gte(checkoutSessions.createdAt, from),
        lt(checkoutSessions.createdAt, to),
      ),
    )
    .get();
  return sessions?.n ?? 0;
}
