import type { Tx } from '../../store/transaction.ts';
import { appendLine } from '../ledger/append-line.ts';
import type { Order } from '../orders/orders.ts';
import { insertTransaction, type Transaction, transactionOfOrder } from './transactions.ts';

/** Books a recorded order: the sale, and the commission that the marketplace keeps of it. */
export function bookOrder(tx: Tx, order: Order): void {
  const sale: Transaction = {
    id: tx.nextId('txn'),
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
    createdAt: tx.now,
  };
  insertTransaction(tx, sale);
  appendLine(tx, sale, 'sales', 'SALE', sale.salePriceCents);
  appendLine(tx, sale, 'retained', 'SALE', sale.commissionCents);
}

/** Takes a refunded or cancelled order out of the books. */
export function unbookOrder(tx: Tx, order: Order): void {
  const sale = transactionOfOrder(tx, order);
  appendLine(tx, sale, 'sales', 'REFUND', sale.salePriceCents);
  appendLine(tx, sale, 'retained', 'REFUND', sale.commissionCents);
}

/** Books a sale whose money the marketplace has collected: the partner's commission accrues. */
export function bookMarketplaceSale(
  tx: Tx,
  sale: Omit<Transaction, 'id' | 'status' | 'createdAt' | 'orderId'>,
): Transaction {
  const booked: Transaction = {
    ...sale,
    id: tx.nextId('txn'),
    status: 'PAID',
    orderId: null,
    createdAt: tx.now,
  };
  insertTransaction(tx, booked);
  appendLine(tx, booked, 'sales', 'SALE', booked.salePriceCents);
  appendLine(tx, booked, 'commission', 'ACCRUED', booked.commissionCents);
  return booked;
}
