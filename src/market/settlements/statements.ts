import { DAY } from '../../kernel/time.ts';
import { listByOwner, type Page, type PageRequest } from '../../store/paging.ts';
import { settlementPeriods } from '../../store/schema/money.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import { type Sums, sumDailyTotals } from '../daily-totals.ts';
import { type Period, presentPeriod } from './periods.ts';

/** Lists statements, newest first, including the current period (specification, GET /settlements). */
export function listStatements(tx: Tx, owner: Owner, page: PageRequest): Page<Period> {
  // An invalid cursor must not open a period.
  return tx.savepoint(() => {
    presentPeriod(tx, owner);
    return listByOwner(tx, 'settlements', settlementPeriods, owner, page);
  });
}

/** A settlement period with the sums of its orders. */
export type StatementRow = Period & { sums: Sums };

export function withSums(tx: Tx, period: Period): StatementRow {
  return { ...period, sums: sumsOf(tx, period) };
}

/**
 * Returns the sums that were frozen when the period was closed, or the orders completed in it so far. An open period
 * that begins within a day may use the totals of the whole day: the run that closed the previous period settled what
 * came before.
 */
function sumsOf(tx: Tx, period: Period): Sums {
  if (!period.closed) {
    const first = Math.floor(period.periodStart / DAY);
    return sumDailyTotals(tx, period, ['unsettled'], {
      first,
      end: Math.ceil(period.periodEnd / DAY),
    });
  }
  const { orderCount: count, grossCents: amountCents, commissionCents } = period;
  return { count, amountCents, commissionCents };
}
