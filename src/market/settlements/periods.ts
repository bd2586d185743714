import {
  and,
  asc,
  desc,
  eq,
  gte,
  type InferSelectModel,
  isNotNull,
  isNull,
  lt,
  sql,
} from 'drizzle-orm';
import { filteredList, ownList, type Page, type PageRequest } from '../../store/paging.ts';
import { param } from '../../store/prepared.ts';
import { settlementPeriods } from '../../store/schema/money.ts';
import { orders } from '../../store/schema/orders.ts';
import type { Owner } from '../../store/schema/partners.ts';
import { finder, inserter, matchingOwner, ownedBy, required, select } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import type { OrderRow } from '../orders/orders.ts';
import { findPartner } from '../partners/credentials.ts';
import { type Sums, sumsOf, ZERO_SUMS } from '../sums.ts';

/** A settlement period. Once it is closed, it is a statement. */
export type Period = InferSelectModel<typeof settlementPeriods>;

const insert = inserter(settlementPeriods);
const findNewest = select(settlementPeriods, {
  where: [matchingOwner(settlementPeriods)],
  orderBy: [desc(settlementPeriods.id)],
  limit: 1,
});
/** Condition: a completed order of the owner that is in no statement. */
export const unsettled = and(
  matchingOwner(orders),
  isNotNull(orders.completedAt),
  isNull(orders.statementId),
);
const sumCompleted = select(orders, {
  columns: sumsOf(orders.salePriceCents, orders.commissionCents),
  where: [
    unsettled,
    gte(orders.completedAt, param('periodStart')),
    lt(orders.completedAt, param('periodEnd')),
  ],
});

/**
 * Adds the missing periods, one for each month up to now. Periods have no gaps between them; a period that has ended is
 * not closed before a settlement run.
 */
export function openUpToNow(tx: Tx, owner: Owner): void {
  let period = findNewest(tx).get(owner) ?? openPeriod(tx, owner, firstStart(tx, owner));
  while (period.periodEnd <= tx.now) period = openPeriod(tx, owner, period.periodEnd);
}

/** Opens a period from `start` to the end of that month, UTC. */
export function openPeriod(tx: Tx, { partnerId, environment }: Owner, start: number): Period {
  const period: Period = {
    id: tx.nextId('stm'),
    partnerId,
    environment,
    periodStart: start,
    periodEnd: monthStart(start, 1),
    closed: false,
    orderCount: 0,
    grossCents: 0,
    commissionCents: 0,
  };
  insert(tx, period);
  return period;
}

/** Lists the periods that no settlement run has closed, oldest first. */
export function unclosedPeriods(tx: Tx, owner: Owner): Period[] {
  // A literal, so that SQLite uses the partial index.
  const condition = and(ownedBy(settlementPeriods, owner), sql`${settlementPeriods.closed} = 0`);
  const unclosed = tx.db.select().from(settlementPeriods).where(condition);
  return unclosed.orderBy(asc(settlementPeriods.id)).all();
}

/** Whether the period of an order begins now, so that a run does not close it yet. An open order would complete now. */
export function periodBeginsNow(tx: Tx, order: OrderRow): boolean {
  if (order.completedAt !== null && order.completedAt < tx.now) return false;
  return monthStart(tx.now) === tx.now || findNewest(tx).get(order)?.periodStart === tx.now;
}

/** Returns the start of the month in which the partner was created. It is not after now: a reset moves that time back too. */
function firstStart(tx: Tx, { partnerId }: Owner): number {
  return monthStart(findPartner(tx, partnerId)?.createdAt ?? tx.now);
}

function monthStart(ms: number, monthsLater = 0): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater, 1);
}

const listPeriods = ownList('settlements', settlementPeriods);

/** Opens the missing periods up to now, and lists all, newest first (specification, GET /settlements). */
export function listStatements(tx: Tx, owner: Owner, page: PageRequest): Page<Period> {
  openUpToNow(tx, owner);
  return listPeriods(tx, owner, page);
}

/** Lists the statements of every partner, newest first. It opens no period, so the current one may be missing. */
export const listAllStatements = filteredList('settlements', settlementPeriods, (status) =>
  eq(settlementPeriods.closed, status === 'CLOSED'),
);

export const requireStatement = required(
  finder(settlementPeriods, 'id'),
  (id) => `statement_id: statement ${id} not found`,
);

export type StatementRow = Period & { sums: Sums };

/** Adds the final sums of a closed period, or those of the orders completed so far. */
export function withSums<Row extends Period>(tx: Tx, period: Row): Row & StatementRow {
  if (!period.closed) return { ...period, sums: sumCompleted(tx).get(period) ?? ZERO_SUMS };
  const { orderCount: count, grossCents: amountCents, commissionCents } = period;
  return { ...period, sums: { count, amountCents, commissionCents } };
}
