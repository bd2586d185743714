import type { OrderStatus } from '../../store/schema/enums.ts';
import type { Tx } from '../../store/transaction.ts';
import { addToDailyTotals } from '../daily-totals/daily-totals.ts';
import { postEntry } from '../ledger/post-entry.ts';
import type { OrderRow } from '../orders/orders.ts';
import { countSale } from '../referrals/links.ts';
import { insertTransaction, requireTransaction, type Transaction } from './transactions.ts';

/** Books a recorded order: the sale, and the commission that the marketplace keeps of it. */
export function postSale(tx: Tx, order: OrderRow): void {
  const sale: Transaction = {
    id: order.transactionId,
    partnerId: order.partnerId,
    environment: order.environment,
    domain: order.domain,
    paymentModel: 'partner_collected',
    status: null,
    salePriceCents: order.salePriceCents,
    commissionCents: order.commissionCents,
    currency: order.currency,
    orderId: order.id,
    sessionId: null,
    caseId: null,
    linkId: null,
    buyerEmail: order.buyerEmail,
    buyerName: order.buyerName,
    buyerCountry: order.buyerCountry,
    createdAt: order.createdAt,
    payoutId: null,
  };
  insertTransaction(tx, sale);
  postEntry(tx, sale, 'sales', 'SALE', sale.salePriceCents);
  postEntry(tx, sale, 'retained', 'SALE', sale.commissionCents);
  addOrderToDailyTotals(tx, order, 1);
}

/** Counts an order's sale under its new state instead of its old one. */
export function repostSale(tx: Tx, order: OrderRow, from: OrderStatus): void {
  addOrderToDailyTotals(tx, { ...order, status: from }, -1);
  addOrderToDailyTotals(tx, order, 1);
}

/** Takes a refunded or cancelled order out of the books. */
export function reverseSale(tx: Tx, order: OrderRow): void {
  const sale = requireTransaction(tx, order.transactionId);
  postEntry(tx, sale, 'sales', 'REFUND', sale.salePriceCents);
  postEntry(tx, sale, 'retained', 'REFUND', sale.commissionCents);
}

/** Books a sale whose money the marketplace has collected: the partner's commission accrues. */
export function postMarketplaceSale(
  tx: Tx,
  sale: Omit<Transaction, 'id' | 'status' | 'createdAt' | 'orderId' | 'payoutId'>,
): Transaction {
  const booked: Transaction = {
    ...sale,
    id: tx.nextId('txn'),
    status: 'PAID',
    orderId: null,
    createdAt: tx.now,
    payoutId: null,
  };
  insertTransaction(tx, booked);
  postEntry(tx, booked, 'sales', 'SALE', booked.salePriceCents);
  postEntry(tx, booked, 'commission', 'ACCRUED', booked.commissionCents);
  addCollectedToDailyTotals(tx, booked, 1);
  if (booked.linkId !== null) countSale(tx, booked.linkId, 1);
  return booked;
}

/** Counts a sale that is no order under the state that it is in. */
export function addCollectedToDailyTotals(tx: Tx, sale: Transaction, times: 1 | -1): void {
  const { paymentModel, status } = sale;
  if (paymentModel === 'partner_collected' || status === null) {
    throw new Error(`the sale ${sale.id} is an order's, which is counted by the order's state`);
  }
  addSaleToDailyTotals(tx, sale, `${paymentModel} ${status}`, times);
}

function addOrderToDailyTotals(tx: Tx, order: OrderRow, times: 1 | -1): void {
  addSaleToDailyTotals(tx, order, `partner_collected ${order.status}`, times);
}

/** On the day on which it was made, whatever becomes of it later. */
function addSaleToDailyTotals(
  tx: Tx,
  sale: OrderRow | Transaction,
  kind: Parameters<typeof addToDailyTotals>[2],
  times: 1 | -1,
): void {
  const { salePriceCents: amountCents, commissionCents } = sale;
  addToDailyTotals(tx, sale, kind, sale.createdAt, times, { amountCents, commissionCents });
}
