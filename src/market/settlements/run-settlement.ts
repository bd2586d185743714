import { and, eq } from 'drizzle-orm';
import { orders } from '../../store/schema/orders.ts';
import type { Tx } from '../../store/transaction.ts';
import { moveOrder } from '../orders/move-order.ts';
import type { Order } from '../orders/orders.ts';

/**
 * Closes the period up to now: every order whose transfer is completed becomes SETTLED (specification,
 * "States and transitions").
 * @param partnerId only this partner's; every partner's when left out
 * @returns the settled orders, oldest first
 */
export function runSettlement(tx: Tx, partnerId?: string): Order[] {
  const completed = tx.db
    .select()
    .from(orders)
    .where(
      and(
        eq(orders.status, 'TRANSFER_COMPLETED'),
        partnerId === undefined ? undefined : eq(orders.partnerId, partnerId),
      ),
    )
    .orderBy(orders.id)
    .all();
  return completed.map((order) => moveOrder(tx, order, 'settle'));
}
