import { and, asc, eq, gte, lt, sql } from 'drizzle-orm';
import { DAY } from '../../kernel/time.ts';
import { param, prepared } from '../../store/prepared.ts';
import { type DailyTotalKind, dailyTotals } from '../../store/schema/daily-totals.ts';
import type { Owner } from '../../store/schema/partners.ts';
import type { Tx } from '../../store/transaction.ts';
import type { Days } from './days.ts';

/** What is added up: how many, and their cents. */
export interface Sums {
  count: number;
  amountCents: number;
  commissionCents: number;
}

export const NOTHING: Sums = { count: 0, amountCents: 0, commissionCents: 0 };

const add = prepared((db) =>
  db
    .insert(dailyTotals)
    .values({
      partnerId: param('partnerId'),
      environment: sql`${param('environment')}`,
      kind: sql`${param('kind')}`,
      day: sql`${param('day')}`,
      count: sql`${param('count')}`,
      amountCents: sql`${param('amountCents')}`,
      commissionCents: sql`${param('commissionCents')}`,
    })
    .onConflictDoUpdate({
      target: [dailyTotals.partnerId, dailyTotals.environment, dailyTotals.kind, dailyTotals.day],
      set: {
        count: sql`count + excluded.count`,
        amountCents: sql`amount_cents + excluded.amount_cents`,
        commissionCents: sql`commission_cents + excluded.commission_cents`,
      },
    })
    .prepare(),
);

const within = and(
  eq(dailyTotals.partnerId, param('partnerId')),
  eq(dailyTotals.environment, param('environment')),
  eq(dailyTotals.kind, param('kind')),
  gte(dailyTotals.day, param('first')),
  lt(dailyTotals.day, param('end')),
);
const total = prepared((db) =>
  db
    .select({
      count: sql<number>`coalesce(sum(${dailyTotals.count}), 0)`,
      amountCents: sql<number>`coalesce(sum(${dailyTotals.amountCents}), 0)`,
      commissionCents: sql<number>`coalesce(sum(${dailyTotals.commissionCents}), 0)`,
    })
    .from(dailyTotals)
    .where(within)
    .prepare(),
);
const daily = prepared((db) =>
  db
    .select({ day: dailyTotals.day, count: dailyTotals.count })
    .from(dailyTotals)
    .where(within)
    .orderBy(asc(dailyTotals.day))
    .prepare(),
);

/**
 * Counts something, in the transaction that writes its row. Called by whoever writes such rows, and by nobody
 * else.
 * @param at when it belongs to, Unix ms
 * @param times 1 when it comes, -1 when it goes
 */
export function addToDailyTotals(
  tx: Tx,
  { partnerId, environment }: Owner,
  kind: DailyTotalKind,
  at: number,
  times: 1 | -1,
  { amountCents, commissionCents }: Pick<Sums, 'amountCents' | 'commissionCents'> = NOTHING,
): void {
  add(tx).run({
    partnerId,
    environment,
    kind,
    day: Math.floor(at / DAY),
    count: times,
    // `-1 * 0` would be a negative zero, which a strict integer column refuses.
    amountCents: amountCents && times * amountCents,
    commissionCents: commissionCents && times * commissionCents,
  });
}

/** What was counted of these kinds in whole days. */
export function tallied(
  tx: Tx,
  { partnerId, environment }: Owner,
  kinds: readonly DailyTotalKind[],
  days: Days,
): Sums {
  return addUp(
    kinds.flatMap((kind) => total(tx).get({ partnerId, environment, kind, ...days }) ?? []),
  );
}

/** The same of one kind, day by day, oldest first; days without any may be left out. */
export function talliedByDay(
  tx: Tx,
  { partnerId, environment }: Owner,
  kind: DailyTotalKind,
  days: Days,
): { day: number; count: number }[] {
  return daily(tx).all({ partnerId, environment, kind, ...days });
}

export function addUp(parts: readonly Sums[]): Sums {
  return parts.reduce(
    (sum, part) => ({
      count: sum.count + part.count,
      amountCents: sum.amountCents + part.amountCents,
      commissionCents: sum.commissionCents + part.commissionCents,
    }),
    NOTHING,
  );
}
