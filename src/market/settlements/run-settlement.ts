import { and, asc, eq, isNotNull, isNull, lt } from 'drizzle-orm';
import { prepared } from '../../store/prepared.ts';
import { settlementPeriods } from '../../store/schema/money.ts';
import { orders } from '../../store/schema/orders.ts';
import { credentials, type Owner } from '../../store/schema/partners.ts';
import { ownedBy, updater } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { addUnsettledToDailyTotals, moveOrder } from '../orders/move-order.ts';
import type { OrderRow } from '../orders/orders.ts';
import { requirePartner } from '../partners/credentials.ts';
import { ownersOf } from '../partners/owners.ts';
import { openPeriod, type Period, presentPeriod, unclosedPeriods } from './periods.ts';

const mayTrade = prepared((db) =>
  db
    .select({ keyId: credentials.keyId })
    .from(credentials)
    .where(and(ownedBy(credentials)))
    .limit(1)
    .prepare(),
);
const hasSold = prepared((db) =>
  db.select({ id: orders.id }).from(orders).where(ownedBy(orders)).limit(1).prepare(),
);
const writeStatement = updater(orders, 'id', 'statementId');

/** The periods that a run closed and the orders that it settled. */
export interface SettlementRun {
  statements: Period[];
  settled: OrderRow[];
}

/**
 * Closes every period up to now, the present one included, and settles the completed orders in them
 * (specification, "States and transitions"; decisions, "Money").
 * @param partnerId only this partner's; every partner's when left out
 * @throws not_found for a partner that does not exist
 */
export function runSettlement(tx: Tx, partnerId?: string): SettlementRun {
  const run: SettlementRun = { statements: [], settled: [] };
  for (const owner of tradersOf(tx, partnerId)) {
    const present = presentPeriod(tx, owner);
    for (const period of unclosedPeriods(tx, owner)) {
      const due = completedIn(tx, owner, period, present);
      // Nothing has happened since the last run at this very moment.
      if (period.periodStart === tx.now && due.length === 0) continue;
      run.statements.push(closePeriod(tx, period, due));
      run.settled.push(...due.flatMap((order) => settle(tx, order, period)));
    }
  }
  return run;
}

/** Everybody who trades or may: partner and environment of every credential and sale. */
function tradersOf(tx: Tx, partnerId: string | undefined): Owner[] {
  if (partnerId !== undefined) requirePartner(tx, partnerId);
  return ownersOf(tx, { partnerId }).filter(
    (owner) => mayTrade(tx).get({ ...owner }) ?? hasSold(tx).get({ ...owner }),
  );
}

/** Completed orders that belong to a period: it takes all that came before its end and is in no statement. */
function completedIn(tx: Tx, owner: Owner, period: Period, present: Period): OrderRow[] {
  return tx.db
    .select()
    .from(orders)
    .where(
      and(
        ownedBy(orders, owner),
        isNotNull(orders.completedAt),
        isNull(orders.statementId),
        period.id === present.id ? undefined : lt(orders.completedAt, period.periodEnd),
      ),
    )
    .orderBy(asc(orders.completedAt), asc(orders.id))
    .all();
}

/** Closes a period with what it settles: what a closed statement says does not change any more. */
function closePeriod(tx: Tx, period: Period, due: readonly OrderRow[]): Period {
  const closed: Period = {
    ...period,
    periodEnd: Math.min(period.periodEnd, tx.now),
    closed: true,
    orderCount: due.length,
    grossCents: due.reduce((sum, order) => sum + order.salePriceCents, 0),
    commissionCents: due.reduce((sum, order) => sum + order.commissionCents, 0),
  };
  tx.db.update(settlementPeriods).set(closed).where(eq(settlementPeriods.id, period.id)).run();
  // What ends before its month does is the present period: the next begins here and now.
  if (closed.periodEnd < period.periodEnd) openPeriod(tx, period, closed.periodEnd);
  return closed;
}

/** Puts an order into a statement. Returns it when that settled it: from before there were statements, it is. */
function settle(tx: Tx, order: OrderRow, period: Period): OrderRow[] {
  writeStatement(tx, { id: order.id, statementId: period.id });
  addUnsettledToDailyTotals(tx, order, -1);
  if (order.status === 'SETTLED') return [];
  return [moveOrder(tx, { ...order, statementId: period.id }, 'settle')];
}
