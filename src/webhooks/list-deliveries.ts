import { and, type SQL, sql } from 'drizzle-orm';
import type { EventType } from '../events/event-types.ts';
import { contains, literally } from '../store/like.ts';
import { type CountedPage, filterBy, listCounted, type PageRequest } from '../store/paging.ts';
import type { DeliveryStatus } from '../store/schema/enums.ts';
import { deliveries, deliveryAttempts, events } from '../store/schema/events.ts';
import type { Tx } from '../store/transaction.ts';
import type { DeliveryRow } from './delivery.ts';

/** Filters of a list of deliveries. */
interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  eventId?: string | undefined;
  /** Type of the event. */
  type?: EventType | undefined;
  /** The order or case that the event is about. */
  subjectId?: string | undefined;
  /** Text in the id, the URL, the event or the last response or failure, ignoring case. */
  text?: string | undefined;
}

/** Lists deliveries, newest first. @throws validation_error for a cursor of another list */
export function listDeliveries(
  tx: Tx,
  filter: DeliveryFilter,
  page: PageRequest,
): CountedPage<DeliveryRow> {
  const query = { list: 'deliveries', table: deliveries, where: conditionsOf(filter) };
  return listCounted(tx, query, page);
}

function conditionsOf(filter: DeliveryFilter): (SQL | undefined)[] {
  const { status, eventId, text } = filter;
  return [
    filterBy(deliveries.eventId, eventId),
    hasEvent(filter),
    filterBy(deliveries.status, status),
    text === undefined ? undefined : hasText(literally(text)),
  ];
}

function hasEvent({ type, subjectId }: DeliveryFilter): SQL | undefined {
  const conditions = and(filterBy(events.type, type), filterBy(events.subjectId, subjectId));
  if (!conditions) return undefined;
  return sql`${deliveries.eventId} IN (SELECT ${events.id} FROM ${events} WHERE ${conditions})`;
}

function hasText(text: string): SQL {
  const { deliveryId, id, httpStatus, response, outcome } = deliveryAttempts;
  const event = sql`SELECT ${events.id} || ${events.type} || ${events.data} FROM ${events} WHERE ${events.id} = ${deliveries.eventId}`;
  const lastAttempt = sql`SELECT coalesce(${httpStatus} || ' ', '') || coalesce(${response}, ${outcome}) FROM ${deliveryAttempts} WHERE ${deliveryId} = ${deliveries.id} ORDER BY ${id} DESC LIMIT 1`;
  const searched = sql`${deliveries.id} || ' ' || ${deliveries.url} || ' ' || (${event}) || ' ' || coalesce((${lastAttempt}), '')`;
  return contains(searched, text);
}
