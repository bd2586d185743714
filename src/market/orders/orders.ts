import { eq, type InferSelectModel, sql } from 'drizzle-orm';
import { notFound } from '../../kernel/errors.ts';
import { inserter, param, prepared } from '../../store/prepared.ts';
import { orders, orderTimeline } from '../../store/schema/orders.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';

export type OrderRow = InferSelectModel<typeof orders>;
export type TimelineEntryRow = InferSelectModel<typeof orderTimeline>;

export const insertOrder = inserter(orders);

const byId = prepared((db) =>
  db
    .select()
    .from(orders)
    .where(eq(orders.id, param('id')))
    .prepare(),
);
const timeline = prepared((db) =>
  db
    .select()
    .from(orderTimeline)
    .where(eq(orderTimeline.orderId, param('orderId')))
    .orderBy(orderTimeline.id)
    .prepare(),
);
const setStatus = prepared((db) =>
  db
    .update(orders)
    .set({
      status: sql`${param('status')}`,
      updatedAt: sql`${param('updatedAt')}`,
      completedAt: sql`${param('completedAt')}`,
    })
    .where(eq(orders.id, param('id')))
    .prepare(),
);

export function findOrder(tx: Tx, id: string): OrderRow | undefined {
  return byId(tx).get({ id });
}

/** @throws not_found */
export function requireOrder(tx: Tx, id: string): OrderRow {
  const order = findOrder(tx, id);
  if (order) return order;
  throw notFound(`public_id: there is no order ${id}`);
}

/** @throws not_found, also for another partner's or environment's order: whose it is stays untold */
export function requireOwnOrder(tx: Tx, owner: Owner, id: string): OrderRow {
  const order = findOrder(tx, id);
  if (order?.partnerId === owner.partnerId && order.environment === owner.environment) return order;
  throw notFound(`public_id: there is no order ${id}`);
}

/** Oldest entry first. */
export function timelineOf(tx: Tx, orderId: string): TimelineEntryRow[] {
  return timeline(tx).all({ orderId });
}

export function withTimeline(tx: Tx, order: OrderRow): OrderRow & { timeline: TimelineEntryRow[] } {
  return { ...order, timeline: timelineOf(tx, order.id) };
}

/** Only `moveOrder` calls this: it writes what belongs to the change as well. */
export function writeStatus(
  tx: Tx,
  order: Pick<OrderRow, 'id' | 'status' | 'updatedAt' | 'completedAt'>,
): void {
  const { id, status, updatedAt, completedAt } = order;
  setStatus(tx).run({ id, status, updatedAt, completedAt });
}
