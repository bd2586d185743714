import { eq } from 'drizzle-orm';
import {
  newestBefore,
  type Page,
  type PageRequest,
  paginate,
  positionAfter,
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
import { requireSale, type Sale, saleOfOrder, withoutOrder } from './transactions.ts';

const anyOrders = newestBefore(orders, orders.transactionId);
const ordersInState = newestBefore(orders, orders.transactionId, matching(orders, 'status'));
const collectedSales = newestBefore(
  transactions,
  transactions.id,
  eq(transactions.paymentModel, param('model')),
  matching(transactions, 'status'),
);

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
  const cursor = readCursor(tx, name, page);
  const last = cursor === undefined ? undefined : requireSale(tx, cursor);
  const from = filter.from ?? Number.MIN_SAFE_INTEGER;
  const position = positionAfter(last, filter.to);
  const values = { partnerId, environment, ...position, from, limit: page.limit + 1 };
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
  return paginate(tx, name, sales, page, ({ id }) => id);
}

function newestFirst(a: Sale, b: Sale): number {
  return b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1);
}

/** Lists the sales attributed to a partner, newest first (specification, GET /me/sales). */
export function listAttributedSales(tx: Tx, owner: Owner, page: PageRequest) {
  const filter = { paymentModel: 'marketplace_collected' as const };
  return newestSales(tx, 'sales', owner, filter, page);
}
