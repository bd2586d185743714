import { eq, lte } from 'drizzle-orm';
import { param } from '../../store/prepared.ts';
import { settlementPeriods } from '../../store/schema/money.ts';
import { orders } from '../../store/schema/orders.ts';
import { credentials, type Owner } from '../../store/schema/partners.ts';
import { ownedBy, select, updater } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { moveOrder } from '../orders/move-order.ts';
import type { OrderRow } from '../orders/orders.ts';
import { ownersOf, requirePartner } from '../partners/credentials.ts';
import { openPeriod, type Period, presentPeriod, unclosedPeriods, unsettled } from './periods.ts';

const mayTrade = select(credentials, { where: [ownedBy(credentials)], limit: 1 });
const hasSold = select(orders, {
  columns: { id: orders.id },
  where: [ownedBy(orders)],
  limit: 1,
});
const unsettledUntil = select(orders, {
  where: [unsettled, lte(orders.completedAt, param('until'))],
  orderBy: [orders.completedAt, orders.id],
});
const writeStatement = updater(orders, 'id', 'statementId');

export type SettledOrder = Pick<OrderRow, 'id' | 'partnerId' | 'environment' | 'statementId'>;

/**
 * Closes every period up to now, including the current one, and settles the completed orders in them
 * (specification, "States and transitions").
 * @param partner id or name, limits the run to one partner
 * @throws not_found for an unknown partner
 */
export function runSettlement(
  tx: Tx,
  partner?: string,
): { statements: Period[]; settled: SettledOrder[] } {
  const statements: Period[] = [];
  const settled: SettledOrder[] = [];
  for (const owner of tradersOf(tx, partner)) {
    const present = presentPeriod(tx, owner);
    for (const period of unclosedPeriods(tx, owner)) {
      // A statement has a length: a period that begins now is closed by a later run.
      if (period.periodStart >= tx.now) continue;
      const until = period.id === present.id ? tx.now : period.periodEnd - 1;
      const completed = unsettledUntil(tx).all({ ...owner, until });
      statements.push(closePeriod(tx, period, completed));
      for (const order of completed) settled.push(settle(tx, order, period.id));
    }
  }
  return { statements, settled };
}

/** Lists partner and environment of every credential and every sale. */
function tradersOf(tx: Tx, partner: string | undefined): Owner[] {
  const partnerId = partner === undefined ? undefined : requirePartner(tx, partner).partnerId;
  return ownersOf(tx, { partnerId }).filter(
    (owner) => mayTrade(tx).get({ ...owner }) ?? hasSold(tx).get({ ...owner }),
  );
}

/** Closes a period with the sums of what it settles. The sums are final: later orders belong to the next period. */
function closePeriod(tx: Tx, period: Period, completed: readonly OrderRow[]): Period {
  const closed: Period = {
    ...period,
    periodEnd: Math.min(period.periodEnd, tx.now),
    closed: true,
    orderCount: completed.length,
    grossCents: completed.reduce((sum, order) => sum + order.salePriceCents, 0),
    commissionCents: completed.reduce((sum, order) => sum + order.commissionCents, 0),
  };
  tx.db.update(settlementPeriods).set(closed).where(eq(settlementPeriods.id, period.id)).run();
  // A period that ends before its month was the current one; the next begins now.
  if (closed.periodEnd < period.periodEnd) openPeriod(tx, period, closed.periodEnd);
  return closed;
}

/** @returns less than the row: a run may settle 100,000 orders */
function settle(tx: Tx, order: OrderRow, statementId: string): SettledOrder {
  writeStatement(tx, { id: order.id, statementId });
  moveOrder(tx, { ...order, statementId }, 'settle');
  const { id, partnerId, environment } = order;
  return { id, partnerId, environment, statementId };
}
