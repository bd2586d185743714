import { and, count, desc, type InferSelectModel, lt, type SQL, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/sqlite-core';
import { conflict } from '../../kernel/errors.ts';
import {
  type CountedPage,
  type ListFilter,
  mapPage,
  matchingFilter,
  ownListName,
  type Page,
  type PageRequest,
  paginate,
  readCursor,
} from '../../store/paging.ts';
import type { PaymentModel, SaleStatus } from '../../store/schema/enums.ts';
import { transactions } from '../../store/schema/money.ts';
import type { OrderStatus } from '../../store/schema/order-states.ts';
import { orders } from '../../store/schema/orders.ts';
import type { Owner } from '../../store/schema/partners.ts';
import { finder, inserter, required, updater } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { type OrderRow, requireOrder } from '../orders/orders.ts';

/** A sale without an order: marketplace-collected or brokered. */
export type Transaction = InferSelectModel<typeof transactions>;

/** A sale with or without an order. */
export type Sale = Omit<
  Transaction,
  'paymentModel' | 'status' | 'sessionId' | 'caseId' | 'payoutId'
> & {
  paymentModel: PaymentModel;
  status: OrderStatus | SaleStatus;
  orderId: string | null;
};

function saleOfOrder(order: OrderRow): Sale {
  return {
    ...order,
    id: order.transactionId,
    orderId: order.id,
    paymentModel: 'partner_collected',
    linkId: null,
  };
}

const findTransaction = finder(transactions, 'id');
/** Reads all orders: no index serves it. */
const findOrderOf = finder(orders, 'transactionId');
/** Used, like `writeSaleStatus`, only in `sales.ts` of this folder, which also writes the ledger. */
export const insertTransaction = inserter(transactions);
export const writeSaleStatus = updater(transactions, 'id', 'status');

/**
 * Lists sales, newest first. Sales with and without an order take their ids from one series.
 * @param list names the list and its owner in cursors
 * @throws validation_error for a cursor of another list
 */
export function listSales(tx: Tx, list: string, filter: ListFilter, page: PageRequest): Page<Sale> {
  const sales = idsOfSales(tx, filter);
  const after = readCursor(tx, list, page);
  const ids = tx.db
    .select()
    .from(sales)
    .where(after === undefined ? undefined : lt(sales.id, after))
    .orderBy(desc(sales.id))
    .limit(page.limit + 1)
    .all();
  const rows = paginate(tx, list, ids, page, ({ id }) => id);
  return mapPage(rows, ({ id, orderId }) =>
    orderId === null ? requireSale(tx, id) : saleOfOrder(requireOrder(tx, orderId)),
  );
}

/** Lists the sales of every partner as `listSales` does, with how many there are. */
export function listAllSales(tx: Tx, filter: ListFilter, page: PageRequest): CountedPage<Sale> {
  const countQuery = tx.db.select({ n: count() }).from(idsOfSales(tx, filter));
  return { ...listSales(tx, 'transactions', filter, page), total: countQuery.get()?.n ?? 0 };
}

function idsOfSales(tx: Tx, filter: ListFilter) {
  const collectedSales = tx.db
    .select({ id: transactions.id, orderId: sql<string | null>`NULL`.as('order_id') })
    .from(transactions)
    .where(collectedWhere(filter));
  const orderSales = tx.db
    .select({ id: orders.transactionId, orderId: orders.id })
    .from(orders)
    .where(orderWhere(filter));
  return unionAll(collectedSales, orderSales).as('sales');
}

/** Lists the sales attributed to a partner, newest first (specification, GET /me/sales). */
export function listAttributedSales(tx: Tx, owner: Owner, page: PageRequest): Page<Sale> {
  const filter = { ...owner, paymentModel: 'marketplace_collected' };
  return listSales(tx, ownListName('sales', owner), filter, page);
}

/** The condition of a filter on sales without an order. */
export function collectedWhere(filter: ListFilter): SQL | undefined {
  return and(...matchingFilter(transactions, filter));
}

/** The condition of a filter on orders. */
export function orderWhere({ paymentModel, ...filter }: ListFilter): SQL | undefined {
  return and(
    ...matchingFilter(orders, filter),
    paymentModel === undefined || paymentModel === 'partner_collected' ? undefined : sql`FALSE`,
  );
}

export function saleOfTransaction<Row extends Transaction>(sale: Row) {
  return { ...sale, orderId: null };
}

/** Returns a sale with or without an order. @throws not_found */
export const requireSale = required(
  (tx: Tx, id: string): Sale | undefined => {
    const sale = findTransaction(tx, id);
    if (sale) return saleOfTransaction(sale);
    const order = findOrderOf(tx, id);
    return order && saleOfOrder(order);
  },
  (id) => `transaction_id: transaction ${id} not found`,
);

/**
 * Returns a sale without an order.
 * @param command the command to suggest for the sale of an order
 * @throws not_found; conflict for the sale of an order
 */
export function requireTransaction(tx: Tx, id: string, command: string): Transaction {
  const transaction = findTransaction(tx, id);
  if (transaction) return transaction;
  const { orderId } = requireSale(tx, id);
  throw conflict(
    `transaction ${id} belongs to order ${orderId}; move the order: \`sandlot ${command} ${orderId}\``,
  );
}
