import { and, count, eq, gte, lt } from 'drizzle-orm';
import { checkoutSessions } from '../../store/schema/checkout.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import { totalsOf } from '../transactions/list-transactions.ts';
import { clicksIn } from './clicks.ts';
import { type Window, windowView } from './window.ts';

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
  const sessions = tx.db
    .select({ n: count() })
    .from(checkoutSessions)
    .where(
      and(
        eq(checkoutSessions.partnerId, owner.partnerId),
        eq(checkoutSessions.environment, owner.environment),
        window.from === undefined ? undefined : gte(checkoutSessions.createdAt, window.from),
        window.to === undefined ? undefined : lt(checkoutSessions.createdAt, window.to),
      ),
    )
    .get();
  return sessions?.n ?? 0;
}
