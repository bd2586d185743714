import { and, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { DAY } from '../kernel/time.ts';
import { param, prepared } from '../store/prepared.ts';
import { type DailyTotalKind, dailyTotals } from '../store/schema/daily-totals.ts';
import type { Owner } from '../store/schema/partners.ts';
import { ownedBy, select, upserter } from '../store/table.ts';
import type { Tx } from '../store/transaction.ts';
import type { Days, PartOfDay } from './time-range.ts';

/** A number of rows and the sums of their amounts, in cents. */
export interface Sums {
  count: number;
  amountCents: number;
  commissionCents: number;
}

export const NOTHING: Sums = { count: 0, amountCents: 0, commissionCents: 0 };

const add = upserter(
  dailyTotals,
  ['partnerId', 'environment', 'kind', 'day'],
  (column) => `${column} + excluded.${column}`,
);

export function sumsOf(amountCents: SQLiteColumn, commissionCents: SQLiteColumn) {
  return {
    count: sql<number>`count(*)`,
    amountCents: sumOf(amountCents),
    commissionCents: sumOf(commissionCents),
  };
}

function sumOf(column: SQLiteColumn): SQL<number> {
  return sql<number>`coalesce(sum(${column}), 0)`;
}

const inDays = and(
  ownedBy(dailyTotals),
  eq(dailyTotals.kind, param('kind')),
  gte(dailyTotals.day, param('first')),
  lt(dailyTotals.day, param('end')),
);
const total = select(dailyTotals, {
  columns: {
    ...sumsOf(dailyTotals.amountCents, dailyTotals.commissionCents),
    count: sumOf(dailyTotals.count),
  },
  where: [inDays],
});
const remove = prepared((db) => db.delete(dailyTotals).where(inDays).prepare());
const daily = select(dailyTotals, {
  columns: { day: dailyTotals.day, count: dailyTotals.count },
  where: [inDays],
  orderBy: [dailyTotals.day],
});

/**
 * Adds a row to the totals of its day, or takes it out, in the transaction that writes the row.
 * @param at time that decides the day, Unix ms
 */
export function addToDailyTotals(
  tx: Tx,
  { partnerId, environment }: Owner,
  kind: DailyTotalKind,
  at: number,
  times: 1 | -1,
  { amountCents, commissionCents }: Pick<Sums, 'amountCents' | 'commissionCents'> = NOTHING,
): void {
  add(tx, {
    partnerId,
    environment,
    kind,
    day: Math.floor(at / DAY),
    count: times,
    // `-1 * 0` is a negative zero, which a strict integer column rejects.
    amountCents: amountCents && times * amountCents,
    commissionCents: commissionCents && times * commissionCents,
  });
}

export function sumDailyTotals(
  tx: Tx,
  { partnerId, environment }: Owner,
  kinds: readonly DailyTotalKind[],
  days: Days,
): Sums {
  return addSums(
    kinds.flatMap((kind) => total(tx).get({ partnerId, environment, kind, ...days }) ?? []),
  );
}

/** Deletes the totals of a kind, whose rows are no longer counted. */
export function deleteDailyTotals(
  tx: Tx,
  { partnerId, environment }: Owner,
  kind: DailyTotalKind,
  days: Days,
): void {
  remove(tx).run({ partnerId, environment, kind, ...days });
}

/** Lists the counts of one kind by day, oldest first. Days without any may be missing. */
export function countsByDay(
  tx: Tx,
  { partnerId, environment }: Owner,
  kind: DailyTotalKind,
  days: Days,
): { day: number; count: number }[] {
  return daily(tx).all({ partnerId, environment, kind, ...days });
}

/** Returns a function that counts an owner's rows in a part of a day, by the time in column `at`. */
export function rowCounter(
  table: SQLiteTable & { partnerId: SQLiteColumn; environment: SQLiteColumn },
  at: SQLiteColumn,
): (tx: Tx, owner: Owner, part: PartOfDay) => number {
  const count = prepared((db) =>
    db
      .select({ n: sql<number>`count(*)` })
      .from(table as SQLiteTable)
      .where(and(ownedBy(table), gte(at, param('from')), lt(at, param('to'))))
      .prepare(),
  );
  return (tx, { partnerId, environment }, part) =>
    count(tx).get({ partnerId, environment, ...part })?.n ?? 0;
}

export function addSums(parts: readonly Sums[]): Sums {
  return parts.reduce(
    (sum, part) => ({
      count: sum.count + part.count,
      amountCents: sum.amountCents + part.amountCents,
      commissionCents: sum.commissionCents + part.commissionCents,
    }),
    NOTHING,
  );
}
