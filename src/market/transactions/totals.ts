import { and, eq, gte, lt } from 'drizzle-orm';
import { param } from '../../store/prepared.ts';
import { transactions } from '../../store/schema/money.ts';
import { orders } from '../../store/schema/orders.ts';
import type { Owner } from '../../store/schema/partners.ts';
import { ownedBy, select } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { CURRENCY } from '../defaults.ts';
import { addSums, NOTHING, type Sums, sumsOf } from '../sums.ts';
import { endsOf, type TimeRange } from '../time-range.ts';
import { countedKinds, type SaleFilter, type SaleKind } from './kinds.ts';

/** Sums over all sales of a filter, in cents. Refunded and cancelled sales are not counted. */
export interface Totals {
  count: number;
  gmvCents: number;
  commissionCents: number;
  currency: string;
}

const inRange = (table: typeof orders | typeof transactions) =>
  and(
    ownedBy(table),
    eq(table.status, param('status')),
    gte(table.createdAt, param('from')),
    lt(table.createdAt, param('to')),
  );
const ofOrders = select(orders, {
  columns: sumsOf(orders.salePriceCents, orders.commissionCents),
  where: [inRange(orders)],
});
const ofCollected = select(transactions, {
  columns: sumsOf(transactions.salePriceCents, transactions.commissionCents),
  where: [eq(transactions.paymentModel, param('model')), inRange(transactions)],
});

/** Sums up the sales of a time range. */
export function totalsOf(tx: Tx, owner: Owner, filter: SaleFilter & TimeRange): Totals {
  const { count, amountCents, commissionCents } = sumSales(tx, owner, countedKinds(filter), filter);
  return { count, gmvCents: amountCents, commissionCents, currency: CURRENCY };
}

/** Sums up sales of some kinds. */
export function sumSales(
  tx: Tx,
  { partnerId, environment }: Owner,
  kinds: readonly SaleKind[],
  range: TimeRange = {},
): Sums {
  const values = { partnerId, environment, ...endsOf(range) };
  return addSums(
    kinds.map(({ model, status }) => {
      const query = model === 'partner_collected' ? ofOrders : ofCollected;
      return query(tx).get({ ...values, model, status }) ?? NOTHING;
    }),
  );
}
