import { and, count, eq, gte, inArray, isNull, lt, sum } from 'drizzle-orm';
import type { DailyTotalKind } from '../../store/schema/daily-totals.ts';
import { SALE_STATUSES } from '../../store/schema/enums.ts';
import { transactions } from '../../store/schema/money.ts';
import { orders } from '../../store/schema/orders.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import { CURRENCY } from '../currency.ts';
import { addUp, type Sums, tallied } from '../daily-totals/daily-totals.ts';
import { type Stretch, wholeDays } from '../daily-totals/days.ts';
import type { TimeRange } from '../daily-totals/time-range.ts';
import { countedKinds, type SaleFilter } from './kinds.ts';

/** Sums over a whole filter, in cents; refunded and cancelled sales are not counted (decisions, "Money"). */
export interface Totals {
  count: number;
  gmvCents: number;
  commissionCents: number;
  currency: string;
}

/** The sums of the sales made in a window: of its whole days as tallied, of the rest row by row. */
export function totalsOf(tx: Tx, owner: Owner, filter: SaleFilter & TimeRange): Totals {
  const kinds = countedKinds(filter);
  const { days, ends } = wholeDays(filter);
  const sums = addUp([
    ...(days ? [tallied(tx, owner, kinds, days)] : []),
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

function orderSums(tx: Tx, owner: Owner, { from, to }: Stretch): SumsOfKind[] {
  const rows = tx.db
    .select({
      status: orders.status,
      count: count(),
      amountCents: sum(orders.salePriceCents).mapWith(Number),
      commissionCents: sum(orders.commissionCents).mapWith(Number),
    })
    .from(orders)
    .where(
      and(
        eq(orders.partnerId, owner.partnerId),
        eq(orders.environment, owner.environment),
        gte(orders.createdAt, from),
        lt(orders.createdAt, to),
      ),
    )
    .groupBy(orders.status)
    .all();
  return rows.map(({ status, ...sums }) => ({ ...sums, kind: `partner_collected ${status}` }));
}

function collectedSums(tx: Tx, owner: Owner, { from, to }: Stretch): SumsOfKind[] {
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
        eq(transactions.partnerId, owner.partnerId),
        eq(transactions.environment, owner.environment),
        // Spelled out, so that each is looked up in the index.
        inArray(transactions.paymentModel, ['marketplace_collected', 'brokerage']),
        inArray(transactions.status, [...SALE_STATUSES]),
        gte(transactions.createdAt, from),
        lt(transactions.createdAt, to),
      ),
    )
    .groupBy(transactions.paymentModel, transactions.status)
    .all();
  return rows.map(({ model, status, ...sums }) => ({
    ...sums,
    kind: `${model} ${status}` as DailyTotalKind,
  }));
}
