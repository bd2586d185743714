import { and, count, eq, gte, lt, sql } from 'drizzle-orm';
import type { Owner } from '../../store/schema/partners.ts';
import { clicks } from '../../store/schema/referrals.ts';
import type { Tx } from '../../store/transaction.ts';
import type { Window } from './window.ts';

/** Clicks on a partner's links by UTC day, oldest first; days without any are left out. */
export function clicksByDay(
  tx: Tx,
  owner: Owner,
  window: Window,
): { date: string; clicks: number }[] {
  const date = sql<string>`strftime('%Y-%m-%d', ${clicks.at} / 1000, 'unixepoch')`;
  return tx.db
    .select({ date, clicks: count() })
    .from(clicks)
    .where(
      and(
        eq(clicks.partnerId, owner.partnerId),
        eq(clicks.environment, owner.environment),
        window.from === undefined ? undefined : gte(clicks.at, window.from),
        window.to === undefined ? undefined : lt(clicks.at, window.to),
      ),
    )
    .groupBy(date)
    .orderBy(date)
    .all();
}

export function clicksIn(tx: Tx, owner: Owner, window: Window): number {
  return clicksByDay(tx, owner, window).reduce((sum, day) => sum + day.clicks, 0);
}
