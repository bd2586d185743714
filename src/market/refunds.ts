import type { InferSelectModel } from 'drizzle-orm';
import { type Fields, resource } from '../kernel/resource.ts';
import { refunds } from '../store/schema/money.ts';
import { inserter } from '../store/table.ts';
import type { Tx } from '../store/transaction.ts';
import { moveOrder } from './orders/move-order.ts';
import type { OrderRow } from './orders/orders.ts';

export type Refund = InferSelectModel<typeof refunds>;

const insert = inserter(refunds);

/**
 * Refunds a partner-collected order before its transfer completes (specification, POST /refunds).
 * @throws conflict for an order that cannot be refunded any more
 */
export function refundOrder(tx: Tx, order: OrderRow, reason: string | null): Refund {
  moveOrder(tx, order, 'refund', reason);
  const refund: Refund = { id: tx.nextId('ref'), orderId: order.id, reason, createdAt: tx.now };
  insert(tx, refund);
  return refund;
}

export const refund = resource(
  'Refund',
  'A refunded order.',
  ({ id, oneOf, amount, currency, time }: Fields<Refund & { order: OrderRow }>) => ({
    refund_id: id('ref').from((row) => row.id),
    public_id: id('ord').from((row) => row.orderId),
    status: oneOf(['REFUNDED']).from(() => 'REFUNDED'),
    amount_cents: amount().from(({ order }) => order.salePriceCents),
    currency: currency().from(({ order }) => order.currency),
    created_at: time(),
  }),
);
