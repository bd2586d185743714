import { DAY } from '../../kernel/time.ts';
import { listByOwner } from '../../store/list-by-owner.ts';
import type { Page, PageRequest } from '../../store/paging.ts';
import { settlementPeriods } from '../../store/schema/money.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import { type Sums, tallied } from '../daily-totals/daily-totals.ts';
import { type Period, presentPeriod } from './periods.ts';

/** Statements, newest first, that of the present period included (specification, GET /settlements). */
export function listStatements(tx: Tx, owner: Owner, page: PageRequest): Page<Period> {
  // A refused cursor opens no period.
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
 * A closed period has what its run put into it; an open one what was completed in it and waits for a run. It
 * may begin within a day, but only where a run has settled all of that day before.
 */
function sumsOf(tx: Tx, period: Period): Sums {
  if (!period.closed) {
    const first = Math.floor(period.periodStart / DAY);
    return tallied(tx, period, ['unsettled'], { first, end: Math.ceil(period.periodEnd / DAY) });
  }
  const { orderCount: count, grossCents: amountCents, commissionCents } = period;
  return { count, amountCents, commissionCents };
}
