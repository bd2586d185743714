import { and, desc, eq, type InferSelectModel, lt } from 'drizzle-orm';
import { DAY, isoTime } from '../../kernel/time.ts';
import { mapPage, type Page, type PageRequest, paginate, readCursor } from '../../store/paging.ts';
import { checkoutSessions } from '../../store/schema/checkout.ts';
import { ledger, transactions } from '../../store/schema/money.ts';
import type { Owner } from '../../store/schema/partners.ts';
import { clicks } from '../../store/schema/referrals.ts';
import { ownedBy } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { countsByDay, rowCounter, sumDailyTotals } from '../daily-totals.ts';
import { type TimeRange, wholeDays } from '../time-range.ts';
import { type Totals, totalsOf } from '../transactions/totals.ts';

const countSessions = rowCounter(checkoutSessions, checkoutSessions.createdAt);

export interface Analytics extends TimeRange {
  clicks: number;
  checkouts: number;
  sales: number;
  conversionRate: number;
  totals: Totals;
}

/** Returns the referral funnel of a partner (specification, GET /analytics), without refunded sales. */
export function analyticsOf(tx: Tx, owner: Owner, range: TimeRange): Analytics {
  const clicks = clicksIn(tx, owner, range);
  const sales = totalsOf(tx, owner, { ...range, paymentModel: 'marketplace_collected' }).count;
  return {
    ...range,
    clicks,
    checkouts: checkoutsIn(tx, owner, range),
    sales,
    conversionRate: clicks === 0 ? 0 : Math.round((sales / clicks) * 10_000) / 10_000,
    totals: totalsOf(tx, owner, range),
  };
}

function checkoutsIn(tx: Tx, owner: Owner, range: TimeRange): number {
  const { days, ends } = wholeDays(range);
  const whole = sumDailyTotals(tx, owner, ['checkout'], days).count;
  return ends.reduce((sum, end) => sum + countSessions(tx, owner, end), whole);
}

const countClicks = rowCounter(clicks, clicks.at);

/** Counts the clicks on a partner's links by UTC day, oldest first, without days that have none. */
export function clicksByDay(
  tx: Tx,
  owner: Owner,
  range: TimeRange,
): { date: string; clicks: number }[] {
  const { days, ends } = wholeDays(range);
  const atEnds = ends.map((end) => ({
    day: Math.floor(end.from / DAY),
    count: countClicks(tx, owner, end),
  }));
  return [...countsByDay(tx, owner, 'click', days), ...atEnds.filter(({ count }) => count > 0)]
    .sort((a, b) => a.day - b.day)
    .map(({ day, count }) => ({ date: isoTime(day * DAY).slice(0, 10), clicks: count }));
}

function clicksIn(tx: Tx, owner: Owner, range: TimeRange): number {
  const { days, ends } = wholeDays(range);
  const whole = sumDailyTotals(tx, owner, ['click'], days).count;
  return ends.reduce((sum, end) => sum + countClicks(tx, owner, end), whole);
}

export type CommissionRow = InferSelectModel<typeof ledger> & {
  domain: string;
};

/** Lists entries of the commission ledger with the running balance, newest first (GET /me/commissions). */
export function listCommissions(tx: Tx, owner: Owner, page: PageRequest): Page<CommissionRow> {
  const list = `commissions:${owner.partnerId}:${owner.environment}`;
  const before = readCursor(tx, list, page);
  const rows = tx.db
    .select({ line: ledger, domain: transactions.domain })
    .from(ledger)
    .innerJoin(transactions, eq(transactions.id, ledger.transactionId))
    .where(and(ownedBy(ledger, owner), before === undefined ? undefined : lt(ledger.id, before)))
    .orderBy(desc(ledger.id))
    .limit(page.limit + 1)
    .all();
  const cut = paginate(tx, list, rows, page, (row) => row.line.id);
  return mapPage(cut, ({ line, domain }) => ({ ...line, domain }));
}
