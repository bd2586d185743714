import { eq, type InferSelectModel, sql } from 'drizzle-orm';
import { notFound } from '../../kernel/errors.ts';
import { inserter, param, prepared } from '../../store/prepared.ts';
import type { SaleStatus } from '../../store/schema/enums.ts';
import { transactions } from '../../store/schema/money.ts';
import type { Tx } from '../../store/transaction.ts';

export type Transaction = InferSelectModel<typeof transactions>;

export const insertTransaction = inserter(transactions);

const byId = prepared((db) =>
  db
    .select()
    .from(transactions)
    .where(eq(transactions.id, param('id')))
    .prepare(),
);
const setStatus = prepared((db) =>
  db
    .update(transactions)
    .set({ status: sql`${param('status')}` })
    .where(eq(transactions.id, param('id')))
    .prepare(),
);

/** @throws not_found */
export function requireTransaction(tx: Tx, id: string): Transaction {
  const transaction = byId(tx).get({ id });
  if (transaction) return transaction;
  throw notFound(`transaction_id: there is no transaction ${id}`);
}

/** Only `move-sale.ts` calls this: it writes the ledger and the daily totals as well. */
export function writeSaleStatus(tx: Tx, id: string, status: SaleStatus): void {
  setStatus(tx).run({ id, status });
}
