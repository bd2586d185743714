import { and, desc, eq, gte, type InferSelectModel, lt, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { DAY, isoTime } from '../../kernel/time.ts';
import { mapPage, type Page, type PageRequest, paginate, readCursor } from '../../store/paging.ts';
import { param, prepared } from '../../store/prepared.ts';
import { checkoutSessions } from '../../store/schema/checkout.ts';
import { ledger, transactions } from '../../store/schema/money.ts';
import type { Owner } from '../../store/schema/partners.ts';
import { clicks } from '../../store/schema/referrals.ts';
import { ownedBy, select } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { endsOf, type TimeRange } from '../time-range.ts';
import { type Totals, totalsOf } from '../transactions/totals.ts';

const countSessions = select(checkoutSessions, {
  columns: { count: sql<number>`count(*)` },
  where: [ownedBy(checkoutSessions), ...within(checkoutSessions.createdAt)],
});
const clicksInRange = [ownedBy(clicks), ...within(clicks.at)];
const countClicks = select(clicks, {
  columns: { count: sql<number>`count(*)` },
  where: clicksInRange,
});
const countClicksByDay = prepared((db) => {
  const day = sql<number>`${clicks.at} / ${sql.raw(`${DAY}`)}`;
  return db
    .select({ day, clicks: sql<number>`count(*)` })
    .from(clicks)
    .where(and(...clicksInRange))
    .groupBy(day)
    .orderBy(day)
    .prepare();
});

/** Conditions of a prepared query: the time is in the range. */
function within(time: SQLiteColumn): SQL[] {
  return [gte(time, param('from')), lt(time, param('to'))];
}

export interface Analytics extends TimeRange {
  clicks: number;
  checkouts: number;
  sales: number;
  conversionRate: number;
  totals: Totals;
}

/** Returns the referral funnel of a partner (specification, GET /analytics), without refunded sales. */
export function analyticsOf(tx: Tx, owner: Owner, range: TimeRange): Analytics {
  const { partnerId, environment } = owner;
  const values = { partnerId, environment, ...endsOf(range) };
  const clicks = countClicks(tx).get(values)?.count ?? 0;
  const sales = totalsOf(tx, owner, { ...range, paymentModel: 'marketplace_collected' }).count;
  return {
    ...range,
    clicks,
    checkouts: countSessions(tx).get(values)?.count ?? 0,
    sales,
    conversionRate: clicks === 0 ? 0 : Math.round((sales / clicks) * 10_000) / 10_000,
    totals: totalsOf(tx, owner, range),
  };
}

/** Counts the clicks on a partner's links by UTC day, oldest first, without days that have none. */
export function clicksByDay(
  tx: Tx,
  { partnerId, environment }: Owner,
  range: TimeRange,
): { date: string; clicks: number }[] {
  return countClicksByDay(tx)
    .all({ partnerId, environment, ...endsOf(range) })
    .map(({ day, clicks }) => ({ date: isoTime(day * DAY).slice(0, 10), clicks }));
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
