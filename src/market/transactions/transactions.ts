import { and, desc, type InferSelectModel, lt } from 'drizzle-orm';
import { conflict, notFound } from '../../kernel/errors.ts';
import {
  filterBy,
  type ListFilter,
  narrowedBy,
  type Page,
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

/** An order is a sale of its own. */
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
/** For `sales.ts` only, which also writes the ledger. */
export const writeSaleStatus = updater(transactions, 'id', 'status');

/**
 * Lists the sales of every partner, newest first. Sales with and without an order take their ids from one series, so
 * merging the newest of both is enough.
 */
export function listAllSales(tx: Tx, filter: ListFilter, page: PageRequest): Page<Sale> {
  const { status, paymentModel } = filter;
  const before = readCursor(tx, 'transactions', page);
  const limit = page.limit + 1;
  const ofOrders = tx.db
    .select()
    .from(orders)
    .where(
      and(
        ...narrowedBy(orders, filter),
        filterBy(orders.status, status),
        before === undefined ? undefined : lt(orders.transactionId, before),
      ),
    )
    .orderBy(desc(orders.transactionId))
    .limit(paymentModel === undefined || paymentModel === 'partner_collected' ? limit : 0)
    .all();
  const others = tx.db
    .select()
    .from(transactions)
    .where(
      and(
        ...narrowedBy(transactions, filter),
        filterBy(transactions.status, status),
        filterBy(transactions.paymentModel, paymentModel),
        before === undefined ? undefined : lt(transactions.id, before),
      ),
    )
    .orderBy(desc(transactions.id))
    .limit(limit)
    .all();
  const sales = [...ofOrders.map(saleOfOrder), ...others.map(withoutOrder)];
  const newest = sales.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
  return paginate(tx, 'transactions', newest, page, ({ id }) => id);
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
 * @param command that does to an order what the caller does to a sale without one
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
