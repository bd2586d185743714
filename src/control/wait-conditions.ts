import { and, count, desc, eq, or, type SQL } from 'drizzle-orm';
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
  /** Status of deliveries. */
  status?: DeliveryStatus | undefined;
}

export const MAX_DESCRIBED = 10;
const OF_EVENT = eq(events.id, deliveries.eventId);

/** Counts the matches. An order matches if it ever was in the state. */
export function countMatches(tx: Tx, condition: WaitCondition): number {
  if (condition.for === 'order') {
    return timelineOfId(tx, condition).some((entry) => entry.status === condition.state) ? 1 : 0;
  }
  const counted = tx.db.select({ n: count() }).from(events).$dynamic();
  if (condition.for === 'delivery') counted.innerJoin(deliveries, OF_EVENT);
  return counted.where(whereOf(condition)).get()?.n ?? 0;
}

/** Describes each match in one line, newest first; of an order, each of its states. */
export function describeMatches(tx: Tx, condition: WaitCondition): string[] {
  if (condition.for === 'order') {
    const states = timelineOfId(tx, condition);
    return states.map((entry) => `${entry.status} at ${isoTime(entry.at)}`).reverse();
  }
  return condition.for === 'event'
    ? describeEvents(tx, whereOf(condition))
    : describeDeliveries(tx, whereOf(condition));
}

/** Describes all that is about the same object as a condition, or all of its kind if it names none. */
export function describeSeen(tx: Tx, { for: kind, id }: WaitCondition): string[] {
  return describeMatches(tx, { for: kind, id });
}

function whereOf({ for: kind, id, type, status }: WaitCondition): SQL | undefined {
  const ids = [events.subjectId, events.id, ...(kind === 'delivery' ? [deliveries.id] : [])];
  return and(
    id === undefined ? undefined : or(...ids.map((column) => eq(column, id))),
    type === undefined ? undefined : eq(events.type, type),
    status === undefined ? undefined : eq(deliveries.status, status),
  );
}

function timelineOfId(tx: Tx, { id = '' }: WaitCondition): TimelineEntryRow[] {
  const order = findOrder(tx, id);
  return order ? timelineOf(tx, order) : [];
}

function describeEvents(tx: Tx, where: SQL | undefined): string[] {
  const rows = tx.db
    .select({ id: events.id, type: events.type, subjectId: events.subjectId })
    .from(events)
    .where(where)
    .orderBy(desc(events.id))
    .limit(MAX_DESCRIBED)
    .all();
  return rows.map(({ id, type, subjectId }) => `${type} for ${subjectId} (${id})`);
}

function describeDeliveries(tx: Tx, where: SQL | undefined): string[] {
  const rows = tx.db
    .select({ delivery: deliveries, type: events.type, subjectId: events.subjectId })
    .from(deliveries)
    .innerJoin(events, OF_EVENT)
    .where(where)
    .orderBy(desc(deliveries.id))
    .limit(MAX_DESCRIBED)
    .all();
  return rows.map(
    ({ delivery: { id, status, attemptCount }, type, subjectId }) =>
      `${type} for ${subjectId} ${status} after ${countOf(attemptCount, 'attempt')} (${id})`,
  );
}
