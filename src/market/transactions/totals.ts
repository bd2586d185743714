import { and, eq, gte, lt } from 'drizzle-orm';
import { param } from '../../store/prepared.ts';
import type { DailyTotalKind } from '../../store/schema/daily-totals.ts';
import { transactions } from '../../store/schema/money.ts';
import { orders } from '../../store/schema/orders.ts';
import type { Owner } from '../../store/schema/partners.ts';
import { ownedBy, select } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { addSums, NOTHING, type Sums, sumDailyTotals, sumsOf } from '../daily-totals.ts';
import { CURRENCY } from '../defaults.ts';
import { type PartOfDay, type TimeRange, wholeDays } from '../time-range.ts';
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

/** Sums up the sales of a time range: daily totals for its whole days, rows for the rest. */
export function totalsOf(tx: Tx, owner: Owner, filter: SaleFilter & TimeRange): Totals {
  const kinds = countedKinds(filter);
  const { days, ends } = wholeDays(filter);
  const names = kinds.map(({ model, status }) => `${model} ${status}` as DailyTotalKind);
  const sums = addSums([
    sumDailyTotals(tx, owner, names, days),
    ...ends.flatMap((end) => kinds.map((kind) => sumRows(tx, owner, kind, end))),
  ]);
  return {
    count: sums.count,
    gmvCents: sums.amountCents,
    commissionCents: sums.commissionCents,
    currency: CURRENCY,
  };
}

/** An index contains all that is summed up here, so no row is read. */
function sumRows(
  tx: Tx,
  { partnerId, environment }: Owner,
  { model, status }: SaleKind,
  { from, to }: PartOfDay,
): Sums {
  const query = model === 'partner_collected' ? ofOrders : ofCollected;
  return query(tx).get({ partnerId, environment, model, status, from, to }) ?? NOTHING;
}
