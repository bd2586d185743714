import { and, desc, eq, gte, type InferSelectModel, lt, type SQL, sql } from 'drizzle-orm';
import { notFound } from '../../kernel/errors.ts';
import { cutPage, type PageRequest, readCursor } from '../../store/paging.ts';
import { inserter, param, prepared } from '../../store/prepared.ts';
import { orders, orderTimeline } from '../../store/schema/orders.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Environment, OrderStatus } from '../../store/schema/words.ts';
import type { Tx } from '../../store/transaction.ts';

export type Order = InferSelectModel<typeof orders>;
export type TimelineEntry = InferSelectModel<typeof orderTimeline>;

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

export function findOrder(tx: Tx, id: string): Order | undefined {
  return byId(tx).get({ id });
}

/** @throws not_found */
export function requireOrder(tx: Tx, id: string): Order {
  const order = findOrder(tx, id);
  if (order) return order;
  throw notFound(`public_id: there is no order ${id}`);
}

/** @throws not_found, also for another partner's or environment's order: whose it is stays untold */
export function requireOwnOrder(tx: Tx, owner: Owner, id: string): Order {
  const order = findOrder(tx, id);
  if (order?.partnerId === owner.partnerId && order.environment === owner.environment) return order;
  throw notFound(`public_id: there is no order ${id}`);
}

/** Oldest first. */
export function timelineOf(tx: Tx, orderId: string): TimelineEntry[] {
  return timeline(tx).all({ orderId });
}

/** Only `moveOrder` calls this: it writes what belongs to the change as well. */
export function writeStatus(
  tx: Tx,
  order: Pick<Order, 'id' | 'status' | 'updatedAt' | 'completedAt'>,
): void {
  const { id, status, updatedAt, completedAt } = order;
  setStatus(tx).run({ id, status, updatedAt, completedAt });
}

export interface OrderFilter {
  partnerId?: string | undefined;
  environment?: Environment | undefined;
  status?: OrderStatus | undefined;
  domain?: string | undefined;
  /** Created at or after, Unix ms. */
  from?: number | undefined;
  /** Created before, Unix ms. */
  to?: number | undefined;
}

/** Newest first (specification, GET /orders). @throws validation_error for a foreign cursor */
export function listOrders(
  tx: Tx,
  filter: OrderFilter,
  page: PageRequest,
): { rows: Order[]; next_cursor: string | null } {
  const list = `orders:${filter.partnerId ?? ''}:${filter.environment ?? ''}`;
  const before = readCursor(tx, list, page);
  const conditions: (SQL | undefined)[] = [
    filter.partnerId === undefined ? undefined : eq(orders.partnerId, filter.partnerId),
    filter.environment === undefined ? undefined : eq(orders.environment, filter.environment),
    filter.status === undefined ? undefined : eq(orders.status, filter.status),
    filter.domain === undefined ? undefined : eq(orders.domain, filter.domain),
    filter.from === undefined ? undefined : gte(orders.createdAt, filter.from),
    filter.to === undefined ? undefined : lt(orders.createdAt, filter.to),
    before === undefined ? undefined : lt(orders.id, before),
  ];
  const rows = tx.db
    .select()
    .from(orders)
    .where(and(...conditions))
    .orderBy(desc(orders.id))
    .limit(page.limit + 1)
    .all();
  return cutPage(tx, list, rows, page, (order) => order.id);
}
