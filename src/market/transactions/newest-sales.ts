import { eq } from 'drizzle-orm';
import {
  newestBefore,
  type Page,
  type PageRequest,
  paginate,
  readCursor,
} from '../../store/paging.ts';
import { param } from '../../store/prepared.ts';
import { transactions } from '../../store/schema/money.ts';
import { orders } from '../../store/schema/orders.ts';
import type { Owner } from '../../store/schema/partners.ts';
import { matching } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import type { TimeRange } from '../sums.ts';
import { collectedKinds, includesOrders, type SaleFilter } from './totals.ts';
import { type Sale, saleOfOrder, withoutOrder } from './transactions.ts';

const anyOrders = newestBefore(orders, 'orderId');
const ordersInState = newestBefore(orders, 'orderId', matching(orders, 'status'));
const collectedSales = newestBefore(
  transactions,
  'saleId',
  eq(transactions.paymentModel, param('model')),
  matching(transactions, 'status'),
);

/** The start of a page: after the sales made at `at` with these ids or higher ones. */
interface PagePosition {
  at: number;
  saleId: string;
  orderId: string;
}

/** Sort before and after every id. */
const [BEFORE_ALL, AFTER_ALL] = ['', '~'];

/**
 * Lists a partner's sales, newest first. Merges the sales of each payment model and status, which an index sorts, so no
 * row is read that the filter excludes.
 * @param list identifies the list in cursors
 * @throws validation_error for a cursor of another list or owner
 */
export function newestSales(
  tx: Tx,
  list: string,
  { partnerId, environment }: Owner,
  filter: SaleFilter & TimeRange,
  page: PageRequest,
): Page<Sale> {
  const name = `${list}:${partnerId}:${environment}`;
  const cursor = readPosition(readCursor(tx, name, page));
  const end = { at: filter.to ?? Number.MAX_SAFE_INTEGER, saleId: BEFORE_ALL, orderId: BEFORE_ALL };
  const start = cursor === undefined || cursor.at >= end.at ? end : cursor;
  const from = filter.from ?? Number.MIN_SAFE_INTEGER;
  const values = { partnerId, environment, ...start, from, limit: page.limit + 1 };
  const orderQuery = filter.status === undefined ? anyOrders : ordersInState;
  const rows: Sale[] = [
    ...(includesOrders(filter)
      ? orderQuery(tx)
          .all({ ...values, status: filter.status })
          .map(saleOfOrder)
      : []),
    ...collectedKinds(filter).flatMap(({ model, status }) =>
      collectedSales(tx)
        .all({ ...values, model, status })
        .map(withoutOrder),
    ),
  ];
  const sales = rows.sort(newestFirst).slice(0, page.limit + 1);
  return paginate(tx, name, sales, page, (lastSale) => positionAfter(lastSale, sales, start));
}

function newestFirst(a: Sale, b: Sale): number {
  return b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1);
}

/** A cursor holds both an order id and a sale id, because sales made at the same time are sorted by either. */
function positionAfter({ id, createdAt }: Sale, rows: Sale[], start: PagePosition): string {
  const ties = rows.filter(
    (sale) => sale.createdAt === createdAt && sale.id >= id && sale.orderId !== null,
  );
  const previousOrderId = start.at === createdAt ? start.orderId : AFTER_ALL;
  return [createdAt, id, ties.at(-1)?.orderId ?? previousOrderId].join(' ');
}

function readPosition(text: string | undefined): PagePosition | undefined {
  if (text === undefined) return undefined;
  const [at = '', saleId = '', orderId = ''] = text.split(' ');
  return { at: Number(at), saleId, orderId };
}

/** Lists the sales attributed to a partner, newest first (specification, GET /me/sales). */
export function listAttributedSales(tx: Tx, owner: Owner, page: PageRequest) {
  const filter = { paymentModel: 'marketplace_collected' as const };
  return newestSales(tx, 'sales', owner, filter, page);
}
