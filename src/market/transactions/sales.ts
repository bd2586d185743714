import { conflict } from '../../kernel/errors.ts';
import type { OrderStatus, SaleStatus } from '../../store/schema/enums.ts';
import type { Tx } from '../../store/transaction.ts';
import { addToDailyTotals } from '../daily-totals.ts';
import { relist } from '../inventory/inventory.ts';
import { postEntry } from '../ledger.ts';
import type { OrderRow } from '../orders/orders.ts';
import { countSale } from '../referrals/links.ts';
import { insertTransaction, type Transaction, writeSaleStatus } from './transactions.ts';

export function countOrder(tx: Tx, order: OrderRow): void {
  addOrderToDailyTotals(tx, order, 1);
}

/** Moves an order from the daily totals of its previous status to those of its new one. */
export function recountOrder(tx: Tx, order: OrderRow, from: OrderStatus): void {
  addOrderToDailyTotals(tx, { ...order, status: from }, -1);
  addOrderToDailyTotals(tx, order, 1);
}

export function postMarketplaceSale(
  tx: Tx,
  sale: Omit<Transaction, 'id' | 'status' | 'createdAt' | 'payoutId'>,
): Transaction {
  const posted: Transaction = {
    ...sale,
    id: tx.nextId('txn'),
    status: 'PAID',
    createdAt: tx.now,
    payoutId: null,
  };
  insertTransaction(tx, posted);
  postEntry(tx, posted, 'ACCRUED', posted.commissionCents);
  addCollectedToDailyTotals(tx, posted, 1);
  if (posted.linkId !== null) countSale(tx, posted.linkId, 1);
  return posted;
}

/** Counts a sale without an order under its status. */
function addCollectedToDailyTotals(tx: Tx, sale: Transaction, times: 1 | -1): void {
  addSaleToDailyTotals(tx, sale, `${sale.paymentModel} ${sale.status}`, times);
}

function addOrderToDailyTotals(tx: Tx, order: OrderRow, times: 1 | -1): void {
  addSaleToDailyTotals(tx, order, `partner_collected ${order.status}`, times);
}

/** A sale counts on the day on which it was made. */
function addSaleToDailyTotals(
  tx: Tx,
  sale: OrderRow | Transaction,
  kind: Parameters<typeof addToDailyTotals>[2],
  times: 1 | -1,
): void {
  const { salePriceCents: amountCents, commissionCents } = sale;
  addToDailyTotals(tx, sale, kind, sale.createdAt, times, { amountCents, commissionCents });
}

/**
 * Delivers the domain of a marketplace-collected or brokered sale: its commission is pending.
 * @throws conflict unless the sale is PAID
 */
export function deliverSale(tx: Tx, sale: Transaction): Transaction {
  if (sale.status !== 'PAID') throw illegalMove(sale, 'delivered', 'it must be PAID');
  const delivered = changeStatus(tx, sale, 'DELIVERED');
  postEntry(tx, sale, 'PENDING', sale.commissionCents);
  return delivered;
}

/**
 * Refunds a sale: its commission is reversed, even if it was paid out, and a domain of the inventory is relisted.
 * @throws conflict for a refunded sale
 */
export function refundSale(tx: Tx, sale: Transaction): Transaction {
  if (sale.status === 'REFUNDED') throw illegalMove(sale, 'refunded', 'it already is');
  const refunded = changeStatus(tx, sale, 'REFUNDED');
  postEntry(tx, sale, 'REVERSED', sale.commissionCents);
  // A brokered domain is not from the inventory; a listing of that name was sold to another buyer.
  if (sale.paymentModel !== 'brokerage') relist(tx, sale.environment, sale.domain);
  if (sale.linkId !== null) countSale(tx, sale.linkId, -1);
  return refunded;
}

function changeStatus(tx: Tx, sale: Transaction, status: SaleStatus): Transaction {
  const changed = { ...sale, status };
  writeSaleStatus(tx, changed);
  addCollectedToDailyTotals(tx, sale, -1);
  addCollectedToDailyTotals(tx, changed, 1);
  return changed;
}

function illegalMove(sale: Transaction, what: string, why: string): Error {
  return conflict(`transaction ${sale.id} is ${sale.status} and cannot be ${what}: ${why}`);
}
