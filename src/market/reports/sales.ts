import { and, desc, eq, lt } from 'drizzle-orm';
import { isoTime } from '../../kernel/time.ts';
import { cutPage, type PageRequest, readCursor } from '../../store/paging.ts';
import { transactions } from '../../store/schema/money.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';

/** Sales that the marketplace attributes to the partner, newest first (specification, GET /me/sales). */
export function listAttributedSales(tx: Tx, owner: Owner, page: PageRequest) {
  const list = `sales:${owner.partnerId}:${owner.environment}`;
  const before = readCursor(tx, list, page);
  const rows = tx.db
    .select()
    .from(transactions)
    .where(
      and(
        eq(transactions.partnerId, owner.partnerId),
        eq(transactions.environment, owner.environment),
        eq(transactions.paymentModel, 'marketplace_collected'),
        before === undefined ? undefined : lt(transactions.id, before),
      ),
    )
    .orderBy(desc(transactions.id))
    .limit(page.limit + 1)
    .all();
  const cut = cutPage(tx, list, rows, page, (row) => row.id);
  return {
    sales: cut.rows.map((sale) => ({
      transaction_id: sale.id,
      buyer: { email: sale.buyerEmail, name: sale.buyerName, country: sale.buyerCountry },
      domain: sale.domain,
      amount_cents: sale.salePriceCents,
      commission_cents: sale.commissionCents,
      currency: sale.currency,
      link_id: sale.linkId,
      created_at: isoTime(sale.createdAt),
    })),
    next_cursor: cut.next_cursor,
  };
}
