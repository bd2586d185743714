import { and, desc, eq, gte, isNull, type SQL, sql } from 'drizzle-orm';
import { type Page, type PageRequest, paginate, readCursor } from '../../store/paging.ts';
import { param, prepared } from '../../store/prepared.ts';
import type { OrderStatus, SaleStatus } from '../../store/schema/enums.ts';
import { transactions } from '../../store/schema/money.ts';
import { orders } from '../../store/schema/orders.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import type { TimeRange } from '../daily-totals/time-range.ts';
import { collectedKinds, letsOrdersThrough, type SaleFilter } from './kinds.ts';
import type { Transaction } from './transactions.ts';

/** A sale with its state: the state of its order, or its own if there is no order. */
export type SaleWithStatus = Omit<Transaction, 'status'> & { status: OrderStatus | SaleStatus };

const ofOrders = (state?: SQL) =>
  prepared((db) =>
    db
      .select({ sale: transactions, status: orders.status })
      .from(orders)
      .innerJoin(transactions, eq(transactions.id, orders.transactionId))
      .where(
        and(
          eq(orders.partnerId, param('partnerId')),
          eq(orders.environment, param('environment')),
          state,
          gte(orders.createdAt, param('from')),
          sql`(${orders.createdAt}, ${orders.id}) < (${param('at')}, ${param('orderId')})`,
        ),
      )
      .orderBy(desc(orders.createdAt), desc(orders.id))
      .limit(param('limit'))
      .prepare(),
  );
const anyOrders = ofOrders();
const ordersInState = ofOrders(eq(orders.status, param('status')));
const collected = prepared((db) =>
  db
    .select()
    .from(transactions)
    .where(
      and(
        isNull(transactions.orderId),
        eq(transactions.partnerId, param('partnerId')),
        eq(transactions.environment, param('environment')),
        eq(transactions.paymentModel, param('model')),
        eq(transactions.status, param('status')),
        gte(transactions.createdAt, param('from')),
        sql`(${transactions.createdAt}, ${transactions.id}) < (${param('at')}, ${param('saleId')})`,
      ),
    )
    .orderBy(desc(transactions.createdAt), desc(transactions.id))
    .limit(param('limit'))
    .prepare(),
);

/** Where a page begins: behind everything that was made at `at` and has these ids or higher ones. */
interface Place {
  at: number;
  saleId: string;
  orderId: string;
}

/** Sort before and behind every id. */
const [BEFORE_ALL, BEHIND_ALL] = ['', '~'];

/**
 * A page of a partner's sales, newest first. Each state of each payment model is a list of its own in an
 * index; they are merged, so that no filter makes rows be read that it does not let through.
 * @param list names the list in its cursors
 * @throws validation_error for a cursor of another list or owner
 */
export function newestSales(
  tx: Tx,
  list: string,
  { partnerId, environment }: Owner,
  filter: SaleFilter & TimeRange,
  page: PageRequest,
): Page<SaleWithStatus> {
  const name = `${list}:${partnerId}:${environment}`;
  const cursor = readPlace(readCursor(tx, name, page));
  const end = { at: filter.to ?? Number.MAX_SAFE_INTEGER, saleId: BEFORE_ALL, orderId: BEFORE_ALL };
  const place = cursor === undefined || cursor.at >= end.at ? end : cursor;
  const from = filter.from ?? Number.MIN_SAFE_INTEGER;
  const values = { partnerId, environment, ...place, from, limit: page.limit + 1 };
  const ordered = filter.status === undefined ? anyOrders : ordersInState;
  const rows: SaleWithStatus[] = [
    ...(letsOrdersThrough(filter)
      ? ordered(tx)
          .all({ ...values, status: filter.status })
          .map(withStatus)
      : []),
    ...collectedKinds(filter).flatMap(({ model, status }) =>
      collected(tx)
        .all({ ...values, model, status })
        .map((sale) => ({ ...sale, status })),
    ),
  ];
  const merged = rows.sort(newestFirst).slice(0, page.limit + 1);
  return paginate(tx, name, merged, page, (last) => placeAfter(last, merged, place));
}

function withStatus({ sale, status }: { sale: Transaction; status: OrderStatus }): SaleWithStatus {
  return { ...sale, status };
}

function newestFirst(a: SaleWithStatus, b: SaleWithStatus): number {
  return b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1);
}

/** Ids of orders and of sales are counted apart: of what was made at the same moment, both places are told. */
function placeAfter(
  { id, createdAt }: SaleWithStatus,
  rows: SaleWithStatus[],
  begun: Place,
): string {
  const seen = rows.filter(
    (sale) => sale.createdAt === createdAt && sale.id >= id && sale.orderId !== null,
  );
  const earlier = begun.at === createdAt ? begun.orderId : BEHIND_ALL;
  return [createdAt, id, seen.at(-1)?.orderId ?? earlier].join(' ');
}

function readPlace(text: string | undefined): Place | undefined {
  if (text === undefined) return undefined;
  const [at = '', saleId = '', orderId = ''] = text.split(' ');
  return { at: Number(at), saleId, orderId };
}
