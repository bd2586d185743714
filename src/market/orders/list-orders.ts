import { and, desc, eq, gte, type SQL, sql } from 'drizzle-orm';
import { type Page, type PageRequest, paginate, readCursor } from '../../store/paging.ts';
import { param, prepared } from '../../store/prepared.ts';
import type { OrderStatus } from '../../store/schema/enums.ts';
import { orders } from '../../store/schema/orders.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import type { TimeRange } from '../daily-totals/time-range.ts';
import { findOrder, type OrderRow } from './orders.ts';

/** By when they were recorded, state and domain; members left out narrow nothing. */
export interface OrderFilter extends TimeRange {
  status?: OrderStatus | undefined;
  domain?: string | undefined;
}

const list = (...narrowed: SQL[]) =>
  prepared((db) =>
    db
      .select()
      .from(orders)
      .where(
        and(
          eq(orders.partnerId, param('partnerId')),
          eq(orders.environment, param('environment')),
          ...narrowed,
          gte(orders.createdAt, param('from')),
          sql`(${orders.createdAt}, ${orders.id}) < (${param('at')}, ${param('id')})`,
        ),
      )
      .orderBy(desc(orders.createdAt), desc(orders.id))
      .limit(param('limit'))
      .prepare(),
  );
const inState = eq(orders.status, param('status'));
const ofDomain = eq(orders.domain, param('domain'));
const lists = {
  all: list(),
  inState: list(inState),
  ofDomain: list(ofDomain),
  // The plus leaves the index to the domain: it is sold a few times, and a state may have all orders.
  both: list(ofDomain, sql`+${orders.status} = ${param('status')}`),
};

/**
 * Orders of some owners, newest first, all in one list (specification, GET /orders).
 * @param name names the list and its owners in its cursors
 * @throws validation_error for a foreign cursor
 */
export function listOrders(
  tx: Tx,
  name: string,
  owners: readonly Owner[],
  filter: OrderFilter,
  page: PageRequest,
): Page<OrderRow> {
  const { status, domain, from = Number.MIN_SAFE_INTEGER, to = Number.MAX_SAFE_INTEGER } = filter;
  const cursor = readCursor(tx, name, page);
  const last = cursor === undefined ? undefined : findOrder(tx, cursor);
  // Nothing is older than an empty id.
  const place =
    last && last.createdAt < to ? { at: last.createdAt, id: last.id } : { at: to, id: '' };
  const query = listFor(filter)(tx);
  const rows = owners.flatMap(({ partnerId, environment }) =>
    query.all({ partnerId, environment, status, domain, from, ...place, limit: page.limit + 1 }),
  );
  // Each owner's come in this order already.
  if (owners.length > 1) rows.sort(newestFirst);
  return paginate(tx, name, rows.slice(0, page.limit + 1), page, (order) => order.id);
}

function listFor({ status, domain }: OrderFilter) {
  if (status === undefined) return domain === undefined ? lists.all : lists.ofDomain;
  return domain === undefined ? lists.inState : lists.both;
}

function newestFirst(a: OrderRow, b: OrderRow): number {
  return b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1);
}
