import { and, asc, eq, inArray, isNull, lt } from 'drizzle-orm';
import { union } from 'drizzle-orm/sqlite-core';
import { settlementPeriods } from '../../store/schema/money.ts';
import { orders } from '../../store/schema/orders.ts';
import { credentials, type Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import { moveOrder } from '../orders/move-order.ts';
import type { Order } from '../orders/orders.ts';
import { requirePartner } from '../partners/credentials.ts';
import { openPeriod, type Period, presentPeriod, unclosedPeriods } from './periods.ts';

/** What a run closed and settled. */
export interface SettlementRun {
  statements: Period[];
  settled: Order[];
}

/**
 * Closes every period up to now, the present one included, and settles the completed orders in them
 * (specification, "States and transitions"; decisions, "Money").
 * @param partnerId only this partner's; every partner's when left out
 * @throws not_found for a partner that does not exist
 */
export function runSettlement(tx: Tx, partnerId?: string): SettlementRun {
  const run: SettlementRun = { statements: [], settled: [] };
  for (const owner of ownersOf(tx, partnerId)) {
    const present = presentPeriod(tx, owner);
    for (const period of unclosedPeriods(tx, owner)) {
      const due = completedIn(tx, owner, period, present);
      // Nothing has happened since the last run at this very moment.
      if (period.periodStart === tx.now && due.length === 0) continue;
      run.statements.push(closePeriod(tx, period));
      run.settled.push(...due.flatMap((order) => settle(tx, order, period)));
    }
  }
  return run;
}

/** Everybody who trades or may: partner and environment of every credential and sale. */
function ownersOf(tx: Tx, partnerId: string | undefined): Owner[] {
  if (partnerId !== undefined) requirePartner(tx, partnerId);
  const ofCredentials = tx.db
    .select({ partnerId: credentials.partnerId, environment: credentials.environment })
    .from(credentials);
  const ofOrders = tx.db
    .select({ partnerId: orders.partnerId, environment: orders.environment })
    .from(orders);
  return union(ofCredentials, ofOrders)
    .all()
    .filter((owner) => partnerId === undefined || owner.partnerId === partnerId)
    .sort((a, b) =>
      `${a.partnerId} ${a.environment}` < `${b.partnerId} ${b.environment}` ? -1 : 1,
    );
}

/** Completed orders that belong to a period: it takes all that came before its end and is in no statement. */
function completedIn(tx: Tx, owner: Owner, period: Period, present: Period): Order[] {
  return tx.db
    .select()
    .from(orders)
    .where(
      and(
        eq(orders.partnerId, owner.partnerId),
        eq(orders.environment, owner.environment),
        inArray(orders.status, ['TRANSFER_COMPLETED', 'SETTLED']),
        isNull(orders.statementId),
        period.id === present.id ? undefined : lt(orders.completedAt, period.periodEnd),
      ),
    )
    .orderBy(asc(orders.completedAt), asc(orders.id))
    .all();
}

function closePeriod(tx: Tx, period: Period): Period {
  const periodEnd = Math.min(period.periodEnd, tx.now);
  tx.db
    .update(settlementPeriods)
    .set({ periodEnd, closed: true })
    .where(eq(settlementPeriods.id, period.id))
    .run();
  // What ends before its month does is the present period: the next begins here and now.
  if (periodEnd < period.periodEnd) openPeriod(tx, period, periodEnd);
  return { ...period, periodEnd, closed: true };
}

/** Puts an order into a statement. Returns it when that settled it: from before there were statements, it is. */
function settle(tx: Tx, order: Order, period: Period): Order[] {
  tx.db.update(orders).set({ statementId: period.id }).where(eq(orders.id, order.id)).run();
  if (order.status === 'SETTLED') return [];
  return [moveOrder(tx, { ...order, statementId: period.id }, 'settle')];
}
