import {
  and,
  asc,
  desc,
  eq,
  type InferSelectModel,
  isNotNull,
  isNull,
  min,
  sql,
} from 'drizzle-orm';
import { inserter, param, prepared } from '../../store/prepared.ts';
import { settlementPeriods } from '../../store/schema/money.ts';
import { orders } from '../../store/schema/orders.ts';
import { type Owner, partners } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';

export type Period = InferSelectModel<typeof settlementPeriods>;

const insert = inserter(settlementPeriods);
const ofOwner = and(
  eq(settlementPeriods.partnerId, param('partnerId')),
  eq(settlementPeriods.environment, param('environment')),
);
const newest = prepared((db) =>
  db
    .select()
    .from(settlementPeriods)
    .where(ofOwner)
    .orderBy(desc(settlementPeriods.id))
    .limit(1)
    .prepare(),
);
const created = prepared((db) =>
  db
    .select({ createdAt: partners.createdAt })
    .from(partners)
    .where(eq(partners.partnerId, param('partnerId')))
    .prepare(),
);
const firstUnsettled = prepared((db) =>
  db
    .select({ at: min(orders.completedAt) })
    .from(orders)
    .where(
      and(
        eq(orders.partnerId, param('partnerId')),
        eq(orders.environment, param('environment')),
        isNotNull(orders.completedAt),
        isNull(orders.statementId),
      ),
    )
    .prepare(),
);

/**
 * Writes down the months that have ended since anybody looked, each an ended period that no run has closed
 * yet, and opens the present one. Periods follow each other without gaps.
 * @returns the present period, in which `tx.now` lies
 */
export function presentPeriod(tx: Tx, owner: Owner): Period {
  let period = newest(tx).get({ ...owner }) ?? openPeriod(tx, owner, firstStart(tx, owner));
  while (period.periodEnd <= tx.now) period = openPeriod(tx, owner, period.periodEnd);
  return period;
}

/** Opens the period that begins at `start` and ends with that month, UTC. */
export function openPeriod(tx: Tx, { partnerId, environment }: Owner, start: number): Period {
  const period: Period = {
    id: tx.nextId('stm'),
    partnerId,
    environment,
    periodStart: start,
    periodEnd: monthAfter(start),
    closed: false,
    orderCount: 0,
    grossCents: 0,
    commissionCents: 0,
  };
  insert(tx, period);
  return period;
}

/** Periods that no run has closed, oldest first. */
export function unclosedPeriods(tx: Tx, owner: Owner): Period[] {
  return tx.db
    .select()
    .from(settlementPeriods)
    .where(
      and(
        eq(settlementPeriods.partnerId, owner.partnerId),
        eq(settlementPeriods.environment, owner.environment),
        // Spelled out, so that the index of those that are not closed is used.
        sql`${settlementPeriods.closed} = 0`,
      ),
    )
    .orderBy(asc(settlementPeriods.id))
    .all();
}

/** The month in which the partner was created, or in which its first transfer completed if that is earlier. */
function firstStart(tx: Tx, owner: Owner): number {
  const { createdAt = tx.now } = created(tx).get({ partnerId: owner.partnerId }) ?? {};
  const completedAt = firstUnsettled(tx).get({ ...owner })?.at ?? tx.now;
  const first = new Date(Math.min(createdAt, completedAt, tx.now));
  return Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), 1);
}

function monthAfter(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
