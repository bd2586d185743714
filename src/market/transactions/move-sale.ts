import { conflict } from '../../kernel/errors.ts';
import type { SaleStatus } from '../../store/schema/enums.ts';
import type { Tx } from '../../store/transaction.ts';
import { relist } from '../inventory/relist.ts';
import { postEntry } from '../ledger/post-entry.ts';
import { countSale } from '../referrals/links.ts';
import { addCollectedToDailyTotals } from './record-sale.ts';
import { type Transaction, writeSaleStatus } from './transactions.ts';

/**
 * The domain of a marketplace-collected or brokered sale has reached its buyer: the commission is pending.
 * @throws conflict unless the sale is PAID
 */
export function deliverSale(tx: Tx, sale: Transaction): Transaction {
  assertNoOrder(sale, 'orders advance');
  if (sale.status !== 'PAID') throw refused(sale, 'delivered', 'only a PAID sale can be');
  const delivered = changeStatus(tx, sale, 'DELIVERED');
  postEntry(tx, sale, 'commission', 'PENDING', sale.commissionCents);
  return delivered;
}

/**
 * Gives the buyer the money back: the commission is reversed, even if it was paid out, and a domain from the
 * inventory is relisted.
 * @throws conflict when it is refunded already
 */
export function refundSale(tx: Tx, sale: Transaction): Transaction {
  assertNoOrder(sale, 'orders refund');
  if (sale.status === 'REFUNDED') throw refused(sale, 'refunded', 'it is already');
  const refunded = changeStatus(tx, sale, 'REFUNDED');
  postEntry(tx, sale, 'sales', 'REFUND', sale.salePriceCents);
  postEntry(tx, sale, 'commission', 'REVERSED', sale.commissionCents);
  // A brokered domain came from outside: were it listed here once, it was sold to somebody else.
  if (sale.paymentModel !== 'brokerage') relist(tx, sale.environment, sale.domain);
  if (sale.linkId !== null) countSale(tx, sale.linkId, -1);
  return refunded;
}

function changeStatus(tx: Tx, sale: Transaction, status: SaleStatus): Transaction {
  const changed = { ...sale, status };
  writeSaleStatus(tx, sale.id, status);
  addCollectedToDailyTotals(tx, sale, -1);
  addCollectedToDailyTotals(tx, changed, 1);
  return changed;
}

function assertNoOrder(sale: Transaction, command: string): void {
  if (sale.orderId === null) return;
  throw conflict(
    `transaction ${sale.id} is that of order ${sale.orderId}, which moves by itself: sandlot ${command} ${sale.orderId}`,
  );
}

function refused(sale: Transaction, what: string, why: string): Error {
  return conflict(`transaction ${sale.id} is ${sale.status} and cannot be ${what}: ${why}`);
}
