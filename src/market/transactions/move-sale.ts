import { and, eq } from 'drizzle-orm';
import { conflict } from '../../kernel/errors.ts';
import { param, prepared } from '../../store/prepared.ts';
import { ledger } from '../../store/schema/money.ts';
import type { Tx } from '../../store/transaction.ts';
import { listAgain } from '../inventory/listings.ts';
import { appendLine } from '../ledger/append-line.ts';
import { type Transaction, writeSaleStatus } from './transactions.ts';

const paidOut = prepared((db) =>
  db
    .select({ id: ledger.id })
    .from(ledger)
    .where(
      and(
        eq(ledger.transactionId, param('id')),
        eq(ledger.account, 'commission'),
        eq(ledger.entry, 'PAID_OUT'),
      ),
    )
    .prepare(),
);

/**
 * The domain of a marketplace-collected or brokered sale has reached its buyer: the commission is pending.
 * @throws conflict unless the sale is PAID
 */
export function deliverSale(tx: Tx, sale: Transaction): Transaction {
  refuseOrder(sale, 'orders advance');
  if (sale.status !== 'PAID') throw refused(sale, 'delivered', 'only a PAID sale can be');
  writeSaleStatus(tx, sale.id, 'DELIVERED');
  appendLine(tx, sale, 'commission', 'PENDING', sale.commissionCents);
  return { ...sale, status: 'DELIVERED' };
}

/**
 * The buyer has the money back: the commission is reversed and a domain from the inventory listed again.
 * @throws conflict when it is refunded already, or its commission paid out
 */
export function refundSale(tx: Tx, sale: Transaction): Transaction {
  refuseOrder(sale, 'orders refund');
  if (sale.status === 'REFUNDED') throw refused(sale, 'refunded', 'it is already');
  if (paidOut(tx).get({ id: sale.id })) {
    throw refused(sale, 'refunded', 'its commission has been paid out');
  }
  writeSaleStatus(tx, sale.id, 'REFUNDED');
  appendLine(tx, sale, 'sales', 'REFUND', sale.salePriceCents);
  appendLine(tx, sale, 'commission', 'REVERSED', sale.commissionCents);
  // A brokered domain came from outside: were it listed here once, it was sold to somebody else.
  if (sale.paymentModel !== 'brokerage') listAgain(tx, sale.environment, sale.domain);
  return { ...sale, status: 'REFUNDED' };
}

function refuseOrder(sale: Transaction, command: string): void {
  if (sale.orderId === null) return;
  throw conflict(
    `transaction ${sale.id} is that of order ${sale.orderId}, which moves by itself: sandlot ${command} ${sale.orderId}`,
  );
}

function refused(sale: Transaction, what: string, why: string): Error {
  return conflict(`transaction ${sale.id} is ${sale.status} and cannot be ${what}: ${why}`);
}
