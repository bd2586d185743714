import { and, count, desc, type InferSelectModel, lt, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/sqlite-core';
import { conflict, notFound } from '../../kernel/errors.ts';
import {
  type CountedPage,
  filterBy,
  type ListFilter,
  mapPage,
  narrowedBy,
  type PageRequest,
  paginate,
  readCursor,
} from '../../store/paging.ts';
import type { OrderStatus, PaymentModel, SaleStatus } from '../../store/schema/enums.ts';
import { transactions } from '../../store/schema/money.ts';
import { orders } from '../../store/schema/orders.ts';
import { finder, inserter, required, updater } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import type { OrderRow } from '../orders/orders.ts';

export type Transaction = InferSelectModel<typeof transactions>;

export type Sale = Pick<
  Transaction,
  | 'id'
  | 'partnerId'
  | 'environment'
  | 'domain'
  | 'salePriceCents'
  | 'commissionCents'
  | 'currency'
  | 'linkId'
  | 'buyerEmail'
  | 'buyerName'
  | 'buyerCountry'
  | 'createdAt'
> & {
  paymentModel: PaymentModel;
  status: OrderStatus | SaleStatus;
  orderId: string | null;
};

/** Returns an order as a sale. */
export function saleOfOrder(order: OrderRow): Sale {
  return {
    ...order,
    id: order.transactionId,
    orderId: order.id,
    paymentModel: 'partner_collected',
    linkId: null,
  };
}

export const insertTransaction = inserter(transactions);

const findTransaction = finder(transactions, 'id');
const findOrderOf = finder(orders, 'transactionId');
/** Used only by `sales.ts`, which also writes the ledger. */
export const writeSaleStatus = updater(transactions, 'id', 'status');

/**
 * Lists the sales of every partner, newest first. Sales with and without an order take their ids from one series.
 * @throws validation_error for a cursor of another list
 */
export function listAllSales(tx: Tx, filter: ListFilter, page: PageRequest): CountedPage<Sale> {
  const { status, paymentModel } = filter;
  const includesModel = (model: PaymentModel) =>
    paymentModel === undefined || paymentModel === model;
  const collectedSales = tx.db
    .select({ id: transactions.id })
    .from(transactions)
    .where(
      and(
        ...narrowedBy(transactions, filter),
        filterBy(transactions.status, status),
        filterBy(transactions.paymentModel, paymentModel),
      ),
    );
  const orderSales = tx.db
    .select({ id: orders.transactionId })
    .from(orders)
    .where(
      and(
        ...narrowedBy(orders, filter),
        filterBy(orders.status, status),
        includesModel('partner_collected') ? undefined : sql`FALSE`,
      ),
    );
  const sales = unionAll(collectedSales, orderSales).as('sales');
  const list = 'transactions';
  const before = readCursor(tx, list, page);
  const ids = tx.db
    .select()
    .from(sales)
    .where(before === undefined ? undefined : lt(sales.id, before))
    .orderBy(desc(sales.id))
    .limit(page.limit + 1)
    .all();
  const total = tx.db.select({ n: count() }).from(sales).get()?.n ?? 0;
  const rows = paginate(tx, list, ids, page, ({ id }) => id);
  return { ...mapPage(rows, ({ id }) => requireSale(tx, id)), total };
}

export function withoutOrder<Row extends Transaction>(sale: Row) {
  return { ...sale, orderId: null };
}

/** Returns a sale with or without an order. @throws not_found */
export const requireSale = required(
  (tx: Tx, id: string): Sale | undefined => {
    const order = findOrderOf(tx, id);
    if (order) return saleOfOrder(order);
    const sale = findTransaction(tx, id);
    return sale && withoutOrder(sale);
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
  const order = findOrderOf(tx, id);
  if (!order) throw notFound(`transaction_id: transaction ${id} not found`);
  throw conflict(
    `transaction ${id} belongs to order ${order.id}; move the order: sandlot ${command} ${order.id}`,
  );
}
