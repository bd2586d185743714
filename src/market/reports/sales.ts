import { isoTime } from '../../kernel/time.ts';
import type { PageRequest } from '../../store/paging.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import { newestSales } from '../transactions/newest-sales.ts';

/** Sales that the marketplace attributes to the partner, newest first (specification, GET /me/sales). */
export function listAttributedSales(tx: Tx, owner: Owner, page: PageRequest) {
  const filter = { paymentModel: 'marketplace_collected' as const };
  const cut = newestSales(tx, 'sales', owner, filter, page);
  return {
    sales: cut.rows.map(({ sale, status }) => ({
      transaction_id: sale.id,
      buyer: { email: sale.buyerEmail, name: sale.buyerName, country: sale.buyerCountry },
      domain: sale.domain,
      amount_cents: sale.salePriceCents,
      // A refunded sale earns nothing.
      commission_cents: status === 'REFUNDED' ? 0 : sale.commissionCents,
      currency: sale.currency,
      link_id: sale.linkId,
      created_at: isoTime(sale.createdAt),
    })),
    next_cursor: cut.next_cursor,
  };
}
