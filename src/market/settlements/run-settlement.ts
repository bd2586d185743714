import { eq, lt } from 'drizzle-orm';
import { param } from '../../store/prepared.ts';
import { settlementPeriods } from '../../store/schema/money.ts';
import { orders } from '../../store/schema/orders.ts';
import { credentials, type Owner } from '../../store/schema/partners.ts';
import { matchingOwner, select, updater } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { moveOrder } from '../orders/move-order.ts';
import type { OrderRow } from '../orders/orders.ts';
import { ownersOf, requirePartner } from '../partners/credentials.ts';
import { openPeriod, openUpToNow, type Period, unclosedPeriods, unsettled } from './periods.ts';

const findCredential = select(credentials, { where: [matchingOwner(credentials)], limit: 1 });
const findAnyOrder = select(orders, { where: [matchingOwner(orders)], limit: 1 });
/** The current period ends with its month, not now, so that an order that completed in this millisecond is included. */
const unsettledOrders = select(orders, {
  where: [unsettled, lt(orders.completedAt, param('periodEnd'))],
  orderBy: [orders.completedAt, orders.id],
});
const writeStatementId = updater(orders, 'id', 'statementId');

/**
 * Closes every period up to now, including the current one, and settles the completed orders in them
 * (specification, "States and transitions").
 * @param partner id or name, limits the run to one partner
 * @throws not_found for an unknown partner
 */
export function runSettlement(tx: Tx, partner?: string) {
  const statements: Period[] = [];
  const settledOrders: OrderRow[] = [];
  for (const owner of ownersToSettle(tx, partner)) {
    openUpToNow(tx, owner);
    for (const period of unclosedPeriods(tx, owner)) {
      // A period that begins now has no duration yet, so a later run closes it.
      if (period.periodStart >= tx.now) continue;
      // The completed orders of earlier periods are in a statement by now.
      const completedOrders = unsettledOrders(tx).all(period);
      statements.push(closePeriod(tx, period, completedOrders));
      for (const order of completedOrders) {
        const orderInStatement = { ...order, statementId: period.id };
        writeStatementId(tx, orderInStatement);
        settledOrders.push(moveOrder(tx, orderInStatement, 'settle'));
      }
    }
  }
  return { statements, settledOrders };
}

/** Lists every partner and environment that has a credential or an order. */
function ownersToSettle(tx: Tx, partner: string | undefined): Owner[] {
  const partnerId = partner === undefined ? undefined : requirePartner(tx, partner).partnerId;
  return ownersOf(tx, partnerId).filter(
    (owner) => findCredential(tx).get(owner) ?? findAnyOrder(tx).get(owner),
  );
}

/** Closes a period with the sums of its orders. They are final: orders completed later belong to the next period. */
function closePeriod(tx: Tx, period: Period, completedOrders: readonly OrderRow[]): Period {
  const closedPeriod: Period = {
    ...period,
    periodEnd: Math.min(period.periodEnd, tx.now),
    closed: true,
    orderCount: completedOrders.length,
    grossCents: completedOrders.reduce((sum, order) => sum + order.salePriceCents, 0),
    commissionCents: completedOrders.reduce((sum, order) => sum + order.commissionCents, 0),
  };
  tx.db
    .update(settlementPeriods)
    .set(closedPeriod)
    .where(eq(settlementPeriods.id, period.id))
    .run();
  // A period that ends before its month was the current one; the next begins now.
  if (closedPeriod.periodEnd < period.periodEnd) openPeriod(tx, period, closedPeriod.periodEnd);
  return closedPeriod;
}
