import { and, inArray, ne } from 'drizzle-orm';
import type { ListFilter } from '../../store/paging.ts';
import { transactions } from '../../store/schema/money.ts';
import { ORDER_STATUSES, orderState } from '../../store/schema/order-states.ts';
import { orders } from '../../store/schema/orders.ts';
import type { Tx } from '../../store/transaction.ts';
import { CURRENCY } from '../defaults.ts';
import { sumsOf, ZERO_SUMS } from '../sums.ts';
import { collectedWhere, orderWhere } from './transactions.ts';

/** Sums over all sales of a filter, in cents. Refunded and cancelled sales are not counted. */
export interface Totals {
  count: number;
  gmvCents: number;
  commissionCents: number;
  currency: string;
}

const SOLD = ORDER_STATUSES.filter((status) => orderState(status).sold);

/** Sums up the sales of a filter. */
export function totalsOf(tx: Tx, filter: ListFilter): Totals {
  const orderSums =
    tx.db
      .select(sumsOf(orders.salePriceCents, orders.commissionCents))
      .from(orders)
      .where(and(orderWhere(filter), inArray(orders.status, SOLD)))
      .get() ?? ZERO_SUMS;
  const collectedSums =
    tx.db
      .select(sumsOf(transactions.salePriceCents, transactions.commissionCents))
      .from(transactions)
      .where(and(collectedWhere(filter), ne(transactions.status, 'REFUNDED')))
      .get() ?? ZERO_SUMS;
  return {
    count: orderSums.count + collectedSums.count,
    gmvCents: orderSums.amountCents + collectedSums.amountCents,
    commissionCents: orderSums.commissionCents + collectedSums.commissionCents,
    currency: CURRENCY,
  };
}
