import { and, eq, isNotNull, isNull, lte, max } from 'drizzle-orm';
import { DAY } from '../../kernel/time.ts';
import { param } from '../../store/prepared.ts';
import { settlementPeriods } from '../../store/schema/money.ts';
import { orders } from '../../store/schema/orders.ts';
import { credentials, type Owner } from '../../store/schema/partners.ts';
import { ownedBy, select, updater } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { deleteDailyTotals, sumDailyTotals } from '../daily-totals.ts';
import { moveOrder } from '../orders/move-order.ts';
import type { OrderRow } from '../orders/orders.ts';
import { ownersOf, requirePartner } from '../partners/credentials.ts';
import { ALL_DAYS } from '../time-range.ts';
import {
  findSettlingPeriod,
  openPeriod,
  type Period,
  presentPeriod,
  unclosedPeriods,
} from './periods.ts';

/** Orders that are settled in one transaction, which takes about 15 ms: other requests are served in between. */
const MAX_SETTLED_AT_ONCE = 200;

const mayTrade = select(credentials, { where: [ownedBy(credentials)], limit: 1 });
const hasSold = select(orders, {
  columns: { id: orders.id },
  where: [ownedBy(orders)],
  limit: 1,
});
const unsettled = and(ownedBy(orders), isNotNull(orders.completedAt), isNull(orders.statementId));
const lastUnsettled = select(orders, {
  columns: { at: max(orders.completedAt) },
  where: [unsettled],
});
const unsettledUntil = select(orders, {
  where: [unsettled, lte(orders.completedAt, param('until'))],
  orderBy: [orders.completedAt, orders.id],
  limit: param('limit'),
});
const writeStatement = updater(orders, 'id', 'statementId');
const writeSettled = updater(settlementPeriods, 'id', 'settleUntil');

export type SettledOrder = Pick<OrderRow, 'id' | 'partnerId' | 'environment' | 'statementId'>;

/** Orders that were settled, and whether more are left for `settleNext`. */
export interface Settled {
  settled: SettledOrder[];
  unfinished: boolean;
}

/**
 * Closes every period up to now, including the current one, and settles the first of the completed orders in them
 * (specification, "States and transitions"). `settleNext` settles the others.
 * @param partnerId limits the run to one partner
 * @throws not_found for an unknown partner
 */
export function runSettlement(tx: Tx, partnerId?: string): Settled & { statements: Period[] } {
  const statements = tradersOf(tx, partnerId).flatMap((owner) => closePeriods(tx, owner));
  return { statements, ...settleNext(tx) };
}

export function settleNext(tx: Tx): Settled {
  const settled: SettledOrder[] = [];
  for (let period = findSettlingPeriod(tx); period; period = findSettlingPeriod(tx)) {
    const { id, partnerId, environment, settleUntil: until } = period;
    const limit = MAX_SETTLED_AT_ONCE - settled.length;
    for (const order of unsettledUntil(tx).all({ partnerId, environment, until, limit })) {
      settled.push(settle(tx, order, id));
    }
    if (settled.length === MAX_SETTLED_AT_ONCE) return { settled, unfinished: true };
    writeSettled(tx, { id, settleUntil: null });
  }
  return { settled, unfinished: false };
}

/** Lists partner and environment of every credential and every sale. */
function tradersOf(tx: Tx, partnerId: string | undefined): Owner[] {
  if (partnerId !== undefined) requirePartner(tx, partnerId);
  return ownersOf(tx, { partnerId }).filter(
    (owner) => mayTrade(tx).get({ ...owner }) ?? hasSold(tx).get({ ...owner }),
  );
}

function closePeriods(tx: Tx, owner: Owner): Period[] {
  const present = presentPeriod(tx, owner);
  // A statement has a length: a period that begins now is closed by a later run.
  const closing = unclosedPeriods(tx, owner).filter(({ periodStart }) => periodStart < tx.now);
  return closing.map((period) =>
    period.id === present.id
      ? closePeriod(tx, period, ALL_DAYS.end, lastUnsettled(tx).get({ ...owner })?.at ?? tx.now)
      : closePeriod(tx, period, period.periodEnd / DAY, period.periodEnd - 1),
  );
}

/**
 * Closes a period with the sums of what it will settle. The sums are final: later orders belong to the next period.
 * @param endDay the period has the unsettled orders of the days before
 * @param settleUntil when the last of them was completed, Unix ms
 */
function closePeriod(tx: Tx, period: Period, endDay: number, settleUntil: number): Period {
  const days = { first: ALL_DAYS.first, end: endDay };
  const sums = sumDailyTotals(tx, period, ['unsettled'], days);
  deleteDailyTotals(tx, period, 'unsettled', days);
  const closed: Period = {
    ...period,
    periodEnd: Math.min(period.periodEnd, tx.now),
    closed: true,
    orderCount: sums.count,
    grossCents: sums.amountCents,
    commissionCents: sums.commissionCents,
    settleUntil: sums.count === 0 ? null : settleUntil,
  };
  tx.db.update(settlementPeriods).set(closed).where(eq(settlementPeriods.id, period.id)).run();
  // A period that ends before its month was the current one; the next begins now.
  if (closed.periodEnd < period.periodEnd) openPeriod(tx, period, closed.periodEnd);
  return closed;
}

/** @returns less than the row: a run may settle 100,000 orders */
function settle(tx: Tx, order: OrderRow, statementId: string): SettledOrder {
  writeStatement(tx, { id: order.id, statementId });
  moveOrder(tx, { ...order, statementId }, 'settle');
  const { id, partnerId, environment } = order;
  return { id, partnerId, environment, statementId };
}
