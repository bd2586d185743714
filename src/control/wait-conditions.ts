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
  /** Deliveries that have arrived, unless another status is asked for. */
  status?: DeliveryStatus | undefined;
}

export const SHOWN = 10;
const OF_EVENT = eq(events.id, deliveries.eventId);

/** Counts the matches. An order matches once it has been in the state, even if it has moved on since. */
export function countMatches(tx: Tx, condition: WaitCondition): number {
  if (condition.for === 'order') {
    return timelineOfId(tx, condition).some((entry) => entry.status === condition.state) ? 1 : 0;
  }
  const { about, type, status } = filtersOf(condition);
  const query =
    condition.for === 'event'
      ? tx.db.select({ n: count() }).from(events).where(and(about, type))
      : tx.db
          .select({ n: count() })
          .from(deliveries)
          .innerJoin(events, OF_EVENT)
          .where(and(about, type, status));
  return query.get()?.n ?? 0;
}

/** Describes each match in one line, newest first. */
export function describeMatches(tx: Tx, condition: WaitCondition): string[] {
  const { about, type, status } = filtersOf(condition);
  if (condition.for === 'order') return describeOrder(tx, condition);
  return condition.for === 'event'
    ? describeEvents(tx, and(about, type))
    : describeDeliveries(tx, and(about, type, status));
}

/**
 * Describes what did not match, nearest miss first: what differs only in its status, then the same type for another
 * object, then another type for the same object, then the rest; each newest first.
 */
export function describeNearMisses(tx: Tx, condition: WaitCondition): string[] {
  if (condition.for === 'order') return describeOrder(tx, condition);
  const { about, type, status } = filtersOf(condition);
  const nearness = sql`${weight(type, 4)} + ${weight(about, 2)} + ${weight(status, 1)}`;
  return condition.for === 'event'
    ? describeEvents(tx, undefined, nearness)
    : describeDeliveries(tx, undefined, nearness);
}

export function formatNearMisses(seen: readonly string[]): string {
  if (seen.length === 0) return 'saw nothing of the kind';
  return ['saw, nearest first:', ...seen].join('\n  ');
}

function filtersOf({ id, type, status = 'delivered', for: what }: WaitCondition) {
  const ofObject = or(eq(events.subjectId, id ?? ''), eq(events.id, id ?? ''));
  const about = what === 'delivery' ? or(ofObject, eq(deliveries.id, id ?? '')) : ofObject;
  return {
    about: id === undefined ? undefined : about,
    type: type === undefined ? undefined : eq(events.type, type),
    status: what === 'delivery' ? eq(deliveries.status, status) : undefined,
  };
}

/** A condition that is not given adds no weight. */
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

function describeEvents(tx: Tx, where: SQL | undefined, ...nearness: SQL[]): string[] {
  const rows = tx.db
    .select({ id: events.id, type: events.type, subjectId: events.subjectId })
    .from(events)
    .where(where)
    .orderBy(...nearness.map((weight) => desc(weight)), desc(events.id))
    .limit(SHOWN)
    .all();
  return rows.map(({ id, type, subjectId }) => `${type} for ${subjectId} (${id})`);
}

function describeDeliveries(tx: Tx, where: SQL | undefined, ...nearness: SQL[]): string[] {
  const rows = tx.db
    .select({ delivery: deliveries, type: events.type, subjectId: events.subjectId })
    .from(deliveries)
    .innerJoin(events, OF_EVENT)
    .where(where)
    .orderBy(...nearness.map((weight) => desc(weight)), desc(deliveries.id))
    .limit(SHOWN)
    .all();
  return rows.map(
    ({ delivery: { id, status, attemptCount }, type, subjectId }) =>
      `${type} for ${subjectId} ${status} after ${countOf(attemptCount, 'attempt')} (${id})`,
  );
}
