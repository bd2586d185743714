import { and, count, inArray, isNull, sum } from 'drizzle-orm';
import type { DailyTotalKind } from '../../store/schema/daily-totals.ts';
import { SALE_STATUSES } from '../../store/schema/enums.ts';
import { transactions } from '../../store/schema/money.ts';
import { orders } from '../../store/schema/orders.ts';
import type { Owner } from '../../store/schema/partners.ts';
import { ownedBy } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { addSums, type Sums, sumDailyTotals } from '../daily-totals.ts';
import { CURRENCY } from '../terms.ts';
import { type TimeRange, wholeDays, within } from '../time-range.ts';
import { countedKinds, type SaleFilter } from './kinds.ts';

/** Sums over all sales of a filter, in cents. Refunded and cancelled sales are not counted. */
export interface Totals {
  count: number;
  gmvCents: number;
  commissionCents: number;
  currency: string;
}

/** Sums up the sales of a time range: daily totals for its whole days, rows for the rest. */
export function totalsOf(tx: Tx, owner: Owner, filter: SaleFilter & TimeRange): Totals {
  const kinds = countedKinds(filter);
  const { days, ends } = wholeDays(filter);
  const sums = addSums([
    ...(days ? [sumDailyTotals(tx, owner, kinds, days)] : []),
    ...ends
      .flatMap((end) => [...orderSums(tx, owner, end), ...collectedSums(tx, owner, end)])
      .filter(({ kind }) => kinds.includes(kind)),
  ]);
  return {
    count: sums.count,
    gmvCents: sums.amountCents,
    commissionCents: sums.commissionCents,
    currency: CURRENCY,
  };
}

type SumsOfKind = Sums & { kind: DailyTotalKind };

function orderSums(tx: Tx, owner: Owner, range: TimeRange): SumsOfKind[] {
  const rows = tx.db
    .select({
      status: orders.status,
      count: count(),
      amountCents: sum(orders.salePriceCents).mapWith(Number),
      commissionCents: sum(orders.commissionCents).mapWith(Number),
    })
    .from(orders)
    .where(and(ownedBy(orders, owner), within(orders.createdAt, range)))
    .groupBy(orders.status)
    .all();
  return rows.map(({ status, ...sums }) => ({ ...sums, kind: `partner_collected ${status}` }));
}

function collectedSums(tx: Tx, owner: Owner, range: TimeRange): SumsOfKind[] {
  const rows = tx.db
    .select({
      model: transactions.paymentModel,
      status: transactions.status,
      count: count(),
      amountCents: sum(transactions.salePriceCents).mapWith(Number),
      commissionCents: sum(transactions.commissionCents).mapWith(Number),
    })
    .from(transactions)
    .where(
      and(
        isNull(transactions.orderId),
        ownedBy(transactions, owner),
        // All values are listed, so that SQLite looks each up in the index.
        inArray(transactions.paymentModel, ['marketplace_collected', 'brokerage']),
        inArray(transactions.status, [...SALE_STATUSES]),
        within(transactions.createdAt, range),
      ),
    )
    .groupBy(transactions.paymentModel, transactions.status)
    .all();
  return rows.map(({ model, status, ...sums }) => ({
    ...sums,
    kind: `${model} ${status}` as DailyTotalKind,
  }));
}
