import { conflict } from '../../kernel/errors.ts';
import type { Tx } from '../../store/transaction.ts';
import { relist } from '../inventory/inventory.ts';
import { postEntry } from '../ledger.ts';
import { countSale } from '../referrals/links.ts';
import type { Transaction } from './transactions.ts';
import { insertTransaction, listAllSales, writeSaleStatus } from './transactions.ts';

/** Records a sale whose money the marketplace has collected, also a brokered one. Its commission accrues to the partner. */
export function postMarketplaceSale(
  tx: Tx,
  sale: Omit<Transaction, 'id' | 'status' | 'createdAt' | 'payoutId'>,
): Transaction {
  const transaction: Transaction = {
    ...sale,
    id: tx.nextId('txn'),
    status: 'PAID',
    createdAt: tx.now,
    payoutId: null,
  };
  insertTransaction(tx, transaction);
  postEntry(tx, transaction, 'ACCRUED', transaction.commissionCents);
  if (transaction.linkId !== null) countSale(tx, transaction.linkId, 1);
  return transaction;
}

/**
 * Delivers the domain of a marketplace-collected or brokered sale. Its commission becomes pending.
 * @throws conflict unless the sale is PAID
 */
export function deliverSale(tx: Tx, sale: Transaction): Transaction {
  if (sale.status !== 'PAID') throw illegalMove(sale, 'delivered', 'it must be PAID');
  const deliveredSale: Transaction = { ...sale, status: 'DELIVERED' };
  writeSaleStatus(tx, deliveredSale);
  postEntry(tx, sale, 'PENDING', sale.commissionCents);
  return deliveredSale;
}

/**
 * Refunds a sale. Its commission is reversed, even if it was paid out, and a domain that was listed is relisted.
 * @throws conflict for a refunded sale
 */
export function refundSale(tx: Tx, sale: Transaction): Transaction {
  if (sale.status === 'REFUNDED') throw illegalMove(sale, 'refunded', 'it already is');
  const refundedSale: Transaction = { ...sale, status: 'REFUNDED' };
  writeSaleStatus(tx, refundedSale);
  postEntry(tx, sale, 'REVERSED', sale.commissionCents);
  const { environment, domain } = sale;
  const countSales = (filter = {}) =>
    listAllSales(tx, { environment, domain, ...filter }, { limit: 1 }).total;
  // A domain that was only brokered goes back to its owner: if its listing is sold, an operator marked it so.
  if (countSales() > countSales({ paymentModel: 'brokerage' })) relist(tx, environment, domain);
  if (sale.linkId !== null) countSale(tx, sale.linkId, -1);
  return refundedSale;
}

function illegalMove(sale: Transaction, result: string, reason: string): Error {
  return conflict(`transaction ${sale.id} is ${sale.status} and cannot be ${result}: ${reason}`);
}
