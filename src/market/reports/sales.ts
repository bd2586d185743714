import type { PageRequest } from '../../store/paging.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import { newestSales } from '../transactions/newest-sales.ts';

/** Sales that the marketplace attributes to the partner, newest first (specification, GET /me/sales). */
export function listAttributedSales(tx: Tx, owner: Owner, page: PageRequest) {
  const filter = { paymentModel: 'marketplace_collected' as const };
  return newestSales(tx, 'sales', owner, filter, page);
}
