import { count, type InferSelectModel } from 'drizzle-orm';
import {
  filteredList,
  type ListFilter,
  listRows,
  matchingFilter,
  ownListName,
  type Page,
  type PageRequest,
} from '../../store/paging.ts';
import { prepared } from '../../store/prepared.ts';
import { ORDER_STATUSES, type OrderStatus } from '../../store/schema/order-states.ts';
import { orders, orderTimeline } from '../../store/schema/orders.ts';
import type { Owner } from '../../store/schema/partners.ts';
import {
  countsOf,
  finder,
  inserter,
  lister,
  required,
  requiredOwn,
  updater,
} from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { findQuoteByToken } from '../quotes.ts';
import type { TimelineRow } from '../timeline-entry.ts';
import { RECORD } from './order-actions.ts';

export type OrderRow = InferSelectModel<typeof orders>;
/** A state that an order was in, and how it got there. */
export type TimelineEntryRow = TimelineRow<OrderStatus>;

export const insertOrder = inserter(orders);

const findOrder = finder(orders, 'id');
const movesOf = lister(orderTimeline, 'orderId');
/** Used only by `moveOrder`, which also writes the timeline and the event. */
export const writeStatus = updater(orders, 'id', 'status', 'updatedAt', 'completedAt');

const messageFor = (field: string) => (id: string) => `${field}: order ${id} not found`;
/** Makes a function that returns the order that a field of the input names, or throws not_found. */
export const requireOrderOf = (field: string) => required(findOrder, messageFor(field));
export const requireOrder = requireOrderOf('public_id');
export const requireOwnOrder = requiredOwn(findOrder, messageFor('public_id'));

export function withTimeline(tx: Tx, order: OrderRow): OrderRow & { timeline: TimelineEntryRow[] } {
  return { ...order, timeline: timelineOf(tx, order) };
}

/** Lists the timeline of an order, oldest entry first. The first entry is not stored: it follows from the order. */
export function timelineOf(tx: Tx, order: OrderRow): TimelineEntryRow[] {
  const firstEntry = { status: RECORD.to, at: order.createdAt, event: RECORD.event, note: null };
  return [firstEntry, ...movesOf(tx, order.id)];
}

const byStatus = prepared((db) =>
  db.select({ status: orders.status, n: count() }).from(orders).groupBy(orders.status).prepare(),
);

export function countOrders(tx: Tx): Record<OrderStatus, number> {
  return countsOf(ORDER_STATUSES, byStatus(tx).all());
}

/** Lists the orders of an owner, newest first. @throws validation_error for a cursor of another list */
export function listOrders(
  tx: Tx,
  owner: Owner,
  filter: ListFilter,
  page: PageRequest,
): Page<OrderRow> {
  const where = matchingFilter(orders, { ...filter, ...owner });
  return listRows(tx, { list: ownListName('orders', owner), table: orders, where }, page);
}

/** Lists the orders of every partner, newest first. */
export const listAllOrders = filteredList('orders', orders);

/** Returns the domains of the order and the quote, of any partner, that a request names in these fields. */
export function domainsOfNamedObjects(
  tx: Tx,
  { public_id: order, quote_id: quote }: Readonly<Record<string, unknown>>,
): string[] {
  return [
    typeof order === 'string' ? findOrder(tx, order) : undefined,
    typeof quote === 'string' ? findQuoteByToken(tx, quote) : undefined,
  ].flatMap((object) => object?.domain ?? []);
}
