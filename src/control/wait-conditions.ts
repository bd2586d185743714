import type { EventType } from '../events/event-types.ts';
import { type EventRow, listAllEvents, requireEvent } from '../events/events.ts';
import { countOf } from '../kernel/count.ts';
import { isoTime } from '../kernel/time.ts';
import { requireOrderOf, timelineOf } from '../market/orders/orders.ts';
import type { DeliveryStatus } from '../store/schema/enums.ts';
import type { OrderStatus } from '../store/schema/order-states.ts';
import type { Tx } from '../store/transaction.ts';
import type { DeliveryRow } from '../webhooks/delivery.ts';
import { listDeliveries } from '../webhooks/list-deliveries.ts';

export interface WaitCondition {
  for: 'order' | 'event' | 'delivery';
  /** The order, or the order or case that events and deliveries are about. */
  id?: string | undefined;
  /** The field of the input that has the id. */
  field?: 'id' | 'order';
  state?: OrderStatus | undefined;
  type?: EventType | undefined;
  /** Status of deliveries. */
  status?: DeliveryStatus | undefined;
}

interface Matches {
  count: number;
  /** A line about each of the newest `MAX_DESCRIBED`, newest first; for an order, about each of its states. */
  seen: string[];
}

/** How many events, deliveries or items of due work are described. */
export const MAX_DESCRIBED = 10;
const PAGE = { limit: MAX_DESCRIBED };

/** Counts and describes what matches; an order, if it ever was in the state. @throws not_found for an unknown order */
export function findMatches(tx: Tx, condition: WaitCondition): Matches {
  const { for: kind, id: subjectId, field = 'id', state, type, status } = condition;
  if (kind === 'order') {
    const states = timelineOf(tx, requireOrderOf(field)(tx, subjectId ?? ''));
    return {
      count: states.some((entry) => entry.status === state) ? 1 : 0,
      seen: states.map((entry) => `${entry.status} at ${isoTime(entry.at)}`).reverse(),
    };
  }
  if (kind === 'event') {
    const { total, rows } = listAllEvents(tx, { type, subjectId }, PAGE);
    return { count: total, seen: rows.map((event) => `${nameOf(event)} (${event.id})`) };
  }
  const { total, rows } = listDeliveries(tx, { type, subjectId, status }, PAGE);
  return { count: total, seen: rows.map((delivery) => describeDelivery(tx, delivery)) };
}

/** Describes what is about the same object as a condition, or all of its kind if it names none. */
export function describeSeen(tx: Tx, { for: kind, id }: WaitCondition): string[] {
  return findMatches(tx, { for: kind, id }).seen;
}

function describeDelivery(tx: Tx, { id, eventId, status, attemptCount }: DeliveryRow): string {
  const event = nameOf(requireEvent(tx, eventId));
  return `${event} ${status} after ${countOf(attemptCount, 'attempt')} (${id})`;
}

function nameOf({ type, subjectId }: EventRow): string {
  return `${type} for ${subjectId}`;
}
