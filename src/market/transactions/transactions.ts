import type { InferSelectModel } from 'drizzle-orm';
import { notFound } from '../../kernel/errors.ts';
import { inserter } from '../../store/prepared.ts';
import type { OrderStatus, SaleStatus } from '../../store/schema/enums.ts';
import { transactions } from '../../store/schema/money.ts';
import { finder, updater } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';

export type Transaction = InferSelectModel<typeof transactions>;

/** A sale with its status: the status of its order, or its own if it has no order. */
export type SaleWithStatus = Omit<Transaction, 'status'> & { status: OrderStatus | SaleStatus };

export const insertTransaction = inserter(transactions);

const findTransaction = finder(transactions, 'id');
/** For `sales.ts` only, which also writes the ledger and the daily totals. */
export const writeSaleStatus = updater(transactions, 'id', 'status');

/** @throws not_found */
export function requireTransaction(tx: Tx, id: string): Transaction {
  const transaction = findTransaction(tx, id);
  if (transaction) return transaction;
  throw notFound(`transaction_id: transaction ${id} not found`);
}
