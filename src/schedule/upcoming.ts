import { and, asc, gt, isNull, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { domainOf, requireEvent } from '../events/events.ts';
import { requireOrder } from '../market/orders/orders.ts';
import { type Page, type PageRequest, paginate, readCursor } from '../store/paging.ts';
import { checkoutSessions } from '../store/schema/checkout.ts';
import { deliveries } from '../store/schema/events.ts';
import { quotes, scheduledMoves } from '../store/schema/orders.ts';
import type { Tx } from '../store/transaction.ts';
import { MAX_ATTEMPTS } from '../webhooks/retry-schedule.ts';

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

function dueDeliveries(tx: Tx, slice: Slice): Upcoming[] {
  const { nextAttemptAt: at, id, status } = deliveries;
  // A literal, so that SQLite uses the partial index.
  const isPending = sql`${status} = 'pending'`;
  return soonest(tx, deliveries, { at, id }, isPending, slice).map((row) => {
    const event = requireEvent(tx, row.eventId);
    return {
      kind: 'delivery',
      at: row.nextAttemptAt ?? tx.now,
      id: row.id,
      what: `${describeAttempt(row.attemptCount + 1)} to deliver ${event.type} of ${domainOf(event) ?? event.subjectId}`,
    };
  });
}

function dueMoves(tx: Tx, slice: Slice): Upcoming[] {
  const { dueAt: at, orderId: id } = scheduledMoves;
  return soonest(tx, scheduledMoves, { at, id }, undefined, slice).map((row) => ({
    kind: 'order_move',
    at: row.dueAt,
    id: row.orderId,
    what: `${row.action} of ${requireOrder(tx, row.orderId).domain}`,
  }));
}

function quoteExpiries(tx: Tx, slice: Slice): Upcoming[] {
  const { expiresAt: at, id, orderId } = quotes;
  const isOpen = and(isNull(orderId), gt(at, tx.now));
  return soonest(tx, quotes, { at, id }, isOpen, slice).map((row) => ({
    kind: 'quote_expiry',
    at: row.expiresAt,
    id: row.id,
    what: `the quote for ${row.domain} expires`,
  }));
}

function checkoutExpiries(tx: Tx, slice: Slice): Upcoming[] {
  const { expiresAt: at, id, status } = checkoutSessions;
  const isOpen = and(sql`${status} = 'OPEN'`, gt(at, tx.now));
  return soonest(tx, checkoutSessions, { at, id }, isOpen, slice).map((row) => ({
    kind: 'checkout_expiry',
    at: row.expiresAt,
    id: row.id,
    what: `the checkout session for ${row.domain} expires`,
  }));
}

/** Reads the rows of a table that match, soonest first. */
function soonest<Table extends SQLiteTable>(
  { db }: Tx,
  table: Table,
  { at, id }: { at: SQLiteColumn; id: SQLiteColumn },
  condition: SQL | undefined,
  { limit, after }: Slice,
): Table['$inferSelect'][] {
  const isAfter = after && sql`(${at}, ${id}) > (${after.at}, ${after.id})`;
  return db
    .select()
    .from(table as SQLiteTable)
    .where(and(condition, isAfter))
    .orderBy(asc(at), asc(id))
    .limit(limit)
    .all();
}

/** Manual resends may exceed the attempts of the schedule. */
function describeAttempt(n: number): string {
  return n <= MAX_ATTEMPTS ? `attempt ${n} of ${MAX_ATTEMPTS}` : `attempt ${n}, manual,`;
}
