import { and, desc, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { isoTime } from '../../kernel/time.ts';
import { cutPage, type PageRequest, readCursor } from '../../store/paging.ts';
import { ledger, transactions } from '../../store/schema/money.ts';
import { orders } from '../../store/schema/orders.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { OrderStatus, PaymentModel, SaleStatus } from '../../store/schema/words.ts';
import type { Tx } from '../../store/transaction.ts';
import { CURRENCY } from '../currency.ts';
import type { Transaction } from './transactions.ts';

export interface TransactionFilter {
  /** Made at or after, Unix ms. */
  from?: number | undefined;
  /** Made before, Unix ms. */
  to?: number | undefined;
  status?: OrderStatus | SaleStatus | undefined;
  paymentModel?: PaymentModel | undefined;
}

/** An order's sale has the state of its order, every other its own. */
const status = sql<OrderStatus | SaleStatus>`coalesce(${orders.status}, ${transactions.status})`;

/** Sales of a partner, newest first (specification, GET /transactions). */
export function listTransactions(
  tx: Tx,
  owner: Owner,
  filter: TransactionFilter,
  page: PageRequest,
) {
  const list = `transactions:${owner.partnerId}:${owner.environment}`;
  const before = readCursor(tx, list, page);
  const rows = tx.db
    .select({ sale: transactions, status })
    .from(transactions)
    .leftJoin(orders, eq(orders.id, transactions.orderId))
    .where(
      and(fitting(owner, filter), before === undefined ? undefined : lt(transactions.id, before)),
    )
    .orderBy(desc(transactions.id))
    .limit(page.limit + 1)
    .all();
  return cutPage(tx, list, rows, page, (row) => row.sale.id);
}

/** Sums over a whole filter, in cents; refunded and cancelled sales have left the ledger's accounts. */
export interface Totals {
  count: number;
  gmv_cents: number;
  commission_cents: number;
  currency: string;
}

export function totalsOf(tx: Tx, owner: Owner, filter: TransactionFilter): Totals {
  const sumOf = (condition: SQL, amount: SQL) =>
    sql<number>`coalesce(sum(CASE WHEN ${condition} THEN ${amount} ELSE 0 END), 0)`;
  const totals = tx.db
    .select({
      count: sumOf(
        eq(ledger.account, 'sales'),
        sql`CASE ${ledger.entry} WHEN 'SALE' THEN 1 ELSE -1 END`,
      ),
      gmv: sumOf(eq(ledger.account, 'sales'), sql`${ledger.deltaCents}`),
      // What was paid out was earned all the same.
      commission: sumOf(
        inArray(ledger.entry, ['SALE', 'REFUND', 'ACCRUED', 'REVERSED']),
        sql`CASE ${ledger.account} WHEN 'sales' THEN 0 ELSE ${ledger.deltaCents} END`,
      ),
    })
    .from(ledger)
    .innerJoin(transactions, eq(transactions.id, ledger.transactionId))
    .leftJoin(orders, eq(orders.id, transactions.orderId))
    .where(fitting(owner, filter))
    .get();
  return {
    count: totals?.count ?? 0,
    gmv_cents: totals?.gmv ?? 0,
    commission_cents: totals?.commission ?? 0,
    currency: CURRENCY,
  };
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

function fitting(owner: Owner, filter: TransactionFilter): SQL | undefined {
  return and(
    eq(transactions.partnerId, owner.partnerId),
    eq(transactions.environment, owner.environment),
    filter.from === undefined ? undefined : gte(transactions.createdAt, filter.from),
    filter.to === undefined ? undefined : lt(transactions.createdAt, filter.to),
    filter.status === undefined ? undefined : eq(status, filter.status),
    filter.paymentModel === undefined
      ? undefined
      : eq(transactions.paymentModel, filter.paymentModel),
  );
}
