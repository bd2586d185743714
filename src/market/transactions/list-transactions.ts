import { isoTime } from '../../kernel/time.ts';
import type { Page, PageRequest } from '../../store/paging.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import type { Window } from '../tallies/window.ts';
import type { SaleFilter } from './kinds.ts';
import { newestSales, type StatedSale } from './newest-sales.ts';
import type { Transaction } from './transactions.ts';

/** By when they were made, state and payment model; members left out narrow nothing. */
export type TransactionFilter = SaleFilter & Window;

/** Sales of a partner, newest first (specification, GET /transactions). */
export function listTransactions(
  tx: Tx,
  owner: Owner,
  filter: TransactionFilter,
  page: PageRequest,
): Page<StatedSale> {
  return newestSales(tx, 'transactions', owner, filter, page);
}

/** A transaction as GET /transactions lists it (decisions, "Money"). */
export function transactionView({ sale, status }: { sale: Transaction; status: string }) {
  return {
    transaction_id: sale.id,
    domain: sale.domain,
    payment_model: sale.paymentModel,
    status,
    sale_price_cents: sale.salePriceCents,
    commission_cents: sale.commissionCents,
    currency: sale.currency,
    order_public_id: sale.orderId,
    created_at: isoTime(sale.createdAt),
  };
}
