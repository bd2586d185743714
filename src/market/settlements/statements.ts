import { and, count, eq, gte, inArray, isNull, lt, sum } from 'drizzle-orm';
import { isoTime } from '../../kernel/time.ts';
import { newestOwned } from '../../store/owned-list.ts';
import type { Page, PageRequest } from '../../store/paging.ts';
import { settlementPeriods } from '../../store/schema/money.ts';
import { orders } from '../../store/schema/orders.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import { CURRENCY } from '../currency.ts';
import { type Period, presentPeriod } from './periods.ts';

/** Statements, newest first, that of the present period included (specification, GET /settlements). */
export function listStatements(tx: Tx, owner: Owner, page: PageRequest): Page<Period> {
  // A refused cursor opens no period.
  return tx.atomically(() => {
    presentPeriod(tx, owner);
    return newestOwned(tx, 'settlements', settlementPeriods, owner, page);
  });
}

/** A statement (decisions, "Money"): owed = gross − commission, in cents. */
export function statementView(tx: Tx, period: Period) {
  const totals = tx.db
    .select({
      count: count(),
      gross: sum(orders.salePriceCents).mapWith(Number),
      commission: sum(orders.commissionCents).mapWith(Number),
    })
    .from(orders)
    .where(period.closed ? eq(orders.statementId, period.id) : completedWithin(period))
    .get();
  const gross = totals?.gross ?? 0;
  const commission = totals?.commission ?? 0;
  return {
    statement_id: period.id,
    period_start: isoTime(period.periodStart),
    period_end: isoTime(period.periodEnd),
    status: period.closed ? ('CLOSED' as const) : ('OPEN' as const),
    order_count: totals?.count ?? 0,
    gross_sold_cents: gross,
    commission_retained_cents: commission,
    amount_owed_cents: gross - commission,
    currency: CURRENCY,
  };
}

/** An open period has what was completed in it and waits for a run. */
function completedWithin(period: Period) {
  return and(
    eq(orders.partnerId, period.partnerId),
    eq(orders.environment, period.environment),
    inArray(orders.status, ['TRANSFER_COMPLETED', 'SETTLED']),
    isNull(orders.statementId),
    gte(orders.completedAt, period.periodStart),
    lt(orders.completedAt, period.periodEnd),
  );
}
