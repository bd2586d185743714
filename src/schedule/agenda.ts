import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm';
import { earliestMove } from '../market/orders/scheduled-moves.ts';
import { checkoutSessions } from '../store/schema/checkout.ts';
import { deliveries } from '../store/schema/events.ts';
import { quotes, scheduledMoves } from '../store/schema/orders.ts';
import type { Tx } from '../store/transaction.ts';
import { earliestDelivery } from '../webhooks/deliveries.ts';
import { MAX_ATTEMPTS } from '../webhooks/retry-schedule.ts';

/** When something later than `after` has to be done, Unix ms of sandbox time; expiries need nobody to act. */
export function nextDueAt(tx: Tx, after?: number): number | undefined {
  const times = [earliestDelivery(tx, after), earliestMove(tx, after)];
  const known = times.filter((time) => time !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}

/** Something that will happen, or lapse, when the sandbox clock gets there. */
export interface Upcoming {
  kind: 'delivery' | 'order_move' | 'quote_expiry' | 'checkout_expiry';
  /** Unix ms of sandbox time. */
  at: number;
  /** Id of the delivery, order, quote or checkout session. */
  id: string;
  what: string;
}

/** What falls due next, soonest first. */
export function upcoming(tx: Tx, limit: number): Upcoming[] {
  return [dueDeliveries, dueMoves, quoteExpiries, checkoutExpiries]
    .flatMap((kind) => kind(tx, limit))
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
    .slice(0, limit);
}

function dueDeliveries(tx: Tx, limit: number): Upcoming[] {
  const rows = tx.db
    .select()
    .from(deliveries)
    .where(eq(deliveries.status, 'pending'))
    .orderBy(asc(deliveries.nextAttemptAt))
    .limit(limit)
    .all();
  return rows.map((row) => ({
    kind: 'delivery',
    at: row.nextAttemptAt ?? tx.now,
    id: row.id,
    what: `${attemptInWords(row.attemptCount + 1)} to deliver ${row.eventId}`,
  }));
}

function dueMoves(tx: Tx, limit: number): Upcoming[] {
  const rows = tx.db
    .select()
    .from(scheduledMoves)
    .orderBy(asc(scheduledMoves.dueAt))
    .limit(limit)
    .all();
  return rows.map((row) => ({
    kind: 'order_move',
    at: row.dueAt,
    id: row.orderId,
    what: `${row.action} of ${row.orderId}`,
  }));
}

function quoteExpiries(tx: Tx, limit: number): Upcoming[] {
  const rows = tx.db
    .select()
    .from(quotes)
    .where(and(isNull(quotes.orderId), gt(quotes.expiresAt, tx.now)))
    .orderBy(asc(quotes.expiresAt))
    .limit(limit)
    .all();
  return rows.map((row) => ({
    kind: 'quote_expiry',
    at: row.expiresAt,
    id: row.id,
    what: `the quote for ${row.domain} expires`,
  }));
}

function checkoutExpiries(tx: Tx, limit: number): Upcoming[] {
  const rows = tx.db
    .select()
    .from(checkoutSessions)
    // Spelled out, so that the index of open sessions is used.
    .where(and(sql`${checkoutSessions.status} = 'OPEN'`, gt(checkoutSessions.expiresAt, tx.now)))
    .orderBy(asc(checkoutSessions.expiresAt))
    .limit(limit)
    .all();
  return rows.map((row) => ({
    kind: 'checkout_expiry',
    at: row.expiresAt,
    id: row.id,
    what: `the checkout session for ${row.domain} expires`,
  }));
}

/** By hand there may be more attempts than the schedule has. */
function attemptInWords(n: number): string {
  return n <= MAX_ATTEMPTS ? `attempt ${n} of ${MAX_ATTEMPTS}` : `attempt ${n}, by hand,`;
}
