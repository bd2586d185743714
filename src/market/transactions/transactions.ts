import type { InferSelectModel } from 'drizzle-orm';
import { conflict, notFound } from '../../kernel/errors.ts';
import type { OrderStatus, PaymentModel, SaleStatus } from '../../store/schema/enums.ts';
import { transactions } from '../../store/schema/money.ts';
import { orders } from '../../store/schema/orders.ts';
import { finder, inserter, updater } from '../../store/table.ts';
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
/** For `sales.ts` only, which also writes the ledger and the daily totals. */
export const writeSaleStatus = updater(transactions, 'id', 'status');

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
