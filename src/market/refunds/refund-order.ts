import type { InferSelectModel } from 'drizzle-orm';
import { inserter } from '../../store/prepared.ts';
import { refunds } from '../../store/schema/money.ts';
import type { Tx } from '../../store/transaction.ts';
import { moveOrder } from '../orders/move-order.ts';
import type { OrderRow } from '../orders/orders.ts';

export type Refund = InferSelectModel<typeof refunds>;

const insert = inserter(refunds);

/**
 * Refunds a partner-collected order before its transfer completes (specification, POST /refunds).
 * @throws conflict when it is too late, or done already
 */
export function refundOrder(tx: Tx, order: OrderRow, reason: string | null): Refund {
  moveOrder(tx, order, 'refund', reason);
  const refund: Refund = { id: tx.nextId('ref'), orderId: order.id, reason, createdAt: tx.now };
  insert(tx, refund);
  return refund;
}
