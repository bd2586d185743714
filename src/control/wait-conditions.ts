import { and, count, desc, eq, or, type SQL, sql } from 'drizzle-orm';
import type { EventType } from '../events/event-types.ts';
import { countOf } from '../kernel/count.ts';
import { isoTime } from '../kernel/time.ts';
import { findOrder, type TimelineEntryRow, timelineOf } from '../market/orders/orders.ts';
import type { DeliveryStatus, OrderStatus } from '../store/schema/enums.ts';
import { deliveries, events } from '../store/schema/events.ts';
import type { Tx } from '../store/transaction.ts';

export interface WaitCondition {
  for: 'order' | 'event' | 'delivery';
  /** Order for `order`; order, case, event or delivery id otherwise. */
  id?: string | undefined;
  state?: OrderStatus | undefined;
  type?: EventType | undefined;
  /** Status of deliveries, by default `delivered`. */
  status?: DeliveryStatus | undefined;
}

export const MAX_DESCRIBED = 10;
const OF_EVENT = eq(events.id, deliveries.eventId);

/** Counts the matches. An order matches if it ever was in the state. */
export function countMatches(tx: Tx, condition: WaitCondition): number {
  if (condition.for === 'order') {
    return timelineOfId(tx, condition).some((entry) => entry.status === condition.state) ? 1 : 0;
  }
  const { subject, type, status } = filtersOf(condition);
  const query =
    condition.for === 'event'
      ? tx.db.select({ n: count() }).from(events).where(and(subject, type))
      : tx.db
          .select({ n: count() })
          .from(deliveries)
          .innerJoin(events, OF_EVENT)
          .where(and(subject, type, status));
  return query.get()?.n ?? 0;
}

/** Describes each match in one line, newest first. */
export function describeMatches(tx: Tx, condition: WaitCondition): string[] {
  const { subject, type, status } = filtersOf(condition);
  if (condition.for === 'order') return describeOrder(tx, condition);
  return condition.for === 'event'
    ? describeEvents(tx, and(subject, type))
    : describeDeliveries(tx, and(subject, type, status));
}

/**
 * Describes what did not match, nearest miss first: those that differ only in status, then the same type for another
 * object, then another type for the same object, then all others; each newest first.
 */
export function describeNearMisses(tx: Tx, condition: WaitCondition): string[] {
  if (condition.for === 'order') return describeOrder(tx, condition);
  const { subject, type, status } = filtersOf(condition);
  const order = sql`${weight(type, 4)} + ${weight(subject, 2)} + ${weight(status, 1)}`;
  return condition.for === 'event'
    ? describeEvents(tx, undefined, order)
    : describeDeliveries(tx, undefined, order);
}

export function formatNearMisses(seen: readonly string[]): string {
  if (seen.length === 0) return 'saw nothing of the kind';
  return ['saw, nearest first:', ...seen].join('\n  ');
}

function filtersOf({ id, type, status = 'delivered', for: target }: WaitCondition) {
  const isObject = or(eq(events.subjectId, id ?? ''), eq(events.id, id ?? ''));
  const subject = target === 'delivery' ? or(isObject, eq(deliveries.id, id ?? '')) : isObject;
  return {
    subject: id === undefined ? undefined : subject,
    type: type === undefined ? undefined : eq(events.type, type),
    status: target === 'delivery' ? eq(deliveries.status, status) : undefined,
  };
}

/** Returns points if the condition holds; 0 without a condition. */
function weight(condition: SQL | undefined, points: number): SQL {
  return condition === undefined ? sql`0` : sql`(${condition}) * ${points}`;
}

function timelineOfId(tx: Tx, { id = '' }: WaitCondition): TimelineEntryRow[] {
  const order = findOrder(tx, id);
  return order ? timelineOf(tx, order) : [];
}

function describeOrder(tx: Tx, condition: WaitCondition): string[] {
  return timelineOfId(tx, condition)
    .map((entry) => `${entry.status} at ${isoTime(entry.at)}`)
    .reverse();
}

function describeEvents(tx: Tx, where: SQL | undefined, ...order: SQL[]): string[] {
  const rows = tx.db
    .select({ id: events.id, type: events.type, subjectId: events.subjectId })
    .from(events)
    .where(where)
    .orderBy(...order.map((weight) => desc(weight)), desc(events.id))
    .limit(MAX_DESCRIBED)
    .all();
  return rows.map(({ id, type, subjectId }) => `${type} for ${subjectId} (${id})`);
}

function describeDeliveries(tx: Tx, where: SQL | undefined, ...order: SQL[]): string[] {
  const rows = tx.db
    .select({ delivery: deliveries, type: events.type, subjectId: events.subjectId })
    .from(deliveries)
    .innerJoin(events, OF_EVENT)
    .where(where)
    .orderBy(...order.map((weight) => desc(weight)), desc(deliveries.id))
    .limit(MAX_DESCRIBED)
    .all();
  return rows.map(
    ({ delivery: { id, status, attemptCount }, type, subjectId }) =>
      `${type} for ${subjectId} ${status} after ${countOf(attemptCount, 'attempt')} (${id})`,
  );
}
