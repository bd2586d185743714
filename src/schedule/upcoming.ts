import { and, asc, eq, gt, isNull, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { earliestMove } from '../market/orders/scheduled-moves.ts';
import { type Page, type PageRequest, paginate, readCursor } from '../store/paging.ts';
import { checkoutSessions } from '../store/schema/checkout.ts';
import { deliveries } from '../store/schema/events.ts';
import { quotes, scheduledMoves } from '../store/schema/orders.ts';
import type { Tx } from '../store/transaction.ts';
import { earliestDelivery } from '../webhooks/deliveries.ts';
import { MAX_ATTEMPTS } from '../webhooks/retry-schedule.ts';

/** Returns when the first work after `after` is due, Unix ms of sandbox time. Expiries are not work. */
export function nextDueAt(tx: Tx, after?: number): number | undefined {
  const times = [earliestDelivery(tx, after), earliestMove(tx, after)];
  const known = times.filter((time) => time !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}

/** Work or an expiry that the sandbox clock will reach. */
export interface Upcoming {
  kind: 'delivery' | 'order_move' | 'quote_expiry' | 'checkout_expiry';
  /** Unix ms of sandbox time. */
  at: number;
  /** Id of the delivery, order, quote or checkout session. */
  id: string;
  what: string;
}

/** A part of the list: at most `limit` items after the given one. */
interface Slice {
  limit: number;
  after?: { at: number; id: string } | undefined;
}

/** Lists upcoming work and expiries, soonest first, then by id. */
export function upcoming(tx: Tx, slice: Slice): Upcoming[] {
  return [dueDeliveries, dueMoves, quoteExpiries, checkoutExpiries]
    .flatMap((kind) => kind(tx, slice))
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
    .slice(0, slice.limit);
}

/** @throws validation_error for a cursor of another list */
export function listUpcoming(tx: Tx, page: PageRequest): Page<Upcoming> {
  const [at, id = ''] = readCursor(tx, 'upcoming', page)?.split(' ') ?? [];
  const after = at === undefined ? undefined : { at: Number(at), id };
  const rows = upcoming(tx, { limit: page.limit + 1, after });
  return paginate(tx, 'upcoming', rows, page, (row) => `${row.at} ${row.id}`);
}

function dueDeliveries(tx: Tx, { limit, after }: Slice): Upcoming[] {
  const { nextAttemptAt, id, status } = deliveries;
  const rows = tx.db
    .select()
    .from(deliveries)
    .where(and(eq(status, 'pending'), isAfter(nextAttemptAt, id, after)))
    .orderBy(asc(nextAttemptAt), asc(id))
    .limit(limit)
    .all();
  return rows.map((row) => ({
    kind: 'delivery',
    at: row.nextAttemptAt ?? tx.now,
    id: row.id,
    what: `${describeAttempt(row.attemptCount + 1)} to deliver ${row.eventId}`,
  }));
}

function dueMoves(tx: Tx, { limit, after }: Slice): Upcoming[] {
  const { dueAt, orderId } = scheduledMoves;
  const rows = tx.db
    .select()
    .from(scheduledMoves)
    .where(isAfter(dueAt, orderId, after))
    .orderBy(asc(dueAt), asc(orderId))
    .limit(limit)
    .all();
  return rows.map((row) => ({
    kind: 'order_move',
    at: row.dueAt,
    id: row.orderId,
    what: `${row.action} of ${row.orderId}`,
  }));
}

function quoteExpiries(tx: Tx, { limit, after }: Slice): Upcoming[] {
  const { expiresAt, id, orderId } = quotes;
  const rows = tx.db
    .select()
    .from(quotes)
    .where(and(isNull(orderId), gt(expiresAt, tx.now), isAfter(expiresAt, id, after)))
    .orderBy(asc(expiresAt), asc(id))
    .limit(limit)
    .all();
  return rows.map((row) => ({
    kind: 'quote_expiry',
    at: row.expiresAt,
    id: row.id,
    what: `the quote for ${row.domain} expires`,
  }));
}

function checkoutExpiries(tx: Tx, { limit, after }: Slice): Upcoming[] {
  const { expiresAt, id, status } = checkoutSessions;
  const rows = tx.db
    .select()
    .from(checkoutSessions)
    // A literal, so that SQLite uses the partial index.
    .where(and(sql`${status} = 'OPEN'`, gt(expiresAt, tx.now), isAfter(expiresAt, id, after)))
    .orderBy(asc(expiresAt), asc(id))
    .limit(limit)
    .all();
  return rows.map((row) => ({
    kind: 'checkout_expiry',
    at: row.expiresAt,
    id: row.id,
    what: `the checkout session for ${row.domain} expires`,
  }));
}

function isAfter(at: SQLiteColumn, id: SQLiteColumn, after: Slice['after']): SQL | undefined {
  return after && sql`(${at}, ${id}) > (${after.at}, ${after.id})`;
}

/** Manual resends may exceed the attempts of the schedule. */
function describeAttempt(n: number): string {
  return n <= MAX_ATTEMPTS ? `attempt ${n} of ${MAX_ATTEMPTS}` : `attempt ${n}, manual,`;
}
