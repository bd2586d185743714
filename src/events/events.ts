import { gt, type InferSelectModel, sql } from 'drizzle-orm';
import { validationError } from '../kernel/errors.ts';
import { contains, literally } from '../store/like.ts';
import { filterBy, listCounted, type Page, type PageRequest } from '../store/paging.ts';
import { param } from '../store/prepared.ts';
import { deliveries, events, webhooks } from '../store/schema/events.ts';
import type { Owner } from '../store/schema/partners.ts';
import { finder, inserter, matching, matchingOwner, required, select } from '../store/table.ts';
import type { Tx } from '../store/transaction.ts';
import type { EventType } from './event-types.ts';

const findOwnEvent = select(events, { where: [matching(events, 'id'), matchingOwner(events)] });
const findOwnEventsAfter = select(events, {
  where: [matchingOwner(events), gt(events.id, param('afterId'))],
  orderBy: [events.id],
  limit: param('limit'),
});

/**
 * Lists a partner's events after `afterId`, oldest first (specification, GET /events).
 * @param limit 1 to 100
 * @throws validation_error if `afterId` is not an event of this partner
 */
export function listEvents(
  tx: Tx,
  owner: Owner,
  { afterId, limit }: { afterId?: string | undefined; limit: number },
): Page<EventRow> {
  if (afterId !== undefined && !findOwnEvent(tx).get({ ...owner, id: afterId })) {
    throw validationError('after_id: invalid; pass the id of one of your events');
  }
  // One more than the page needs, to know whether another one follows.
  const rows = findOwnEventsAfter(tx).all({ ...owner, afterId: afterId ?? '', limit: limit + 1 });
  const page = rows.slice(0, limit);
  return { rows: page, next_cursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
}

export const requireEvent = required(
  finder(events, 'id'),
  (id) => `event_id: event ${id} not found`,
);

/** Returns the domain of the order or case that an event is about: of the object in its data. */
export function domainOf({ data }: Pick<EventRow, 'data'>): string | undefined {
  for (const value of Object.values(data)) {
    const domain = (value as { domain?: unknown } | null)?.domain;
    if (typeof domain === 'string') return domain;
  }
  return undefined;
}

interface EventFilter {
  id?: string | undefined;
  type?: EventType | undefined;
  subjectId?: string | undefined;
  /** Text in the id, the type or the data, ignoring case. */
  text?: string | undefined;
}

/** Lists events of every partner, newest first. @throws validation_error for a cursor of another list */
export function listAllEvents(tx: Tx, filter: EventFilter, page: PageRequest) {
  const { id, type, subjectId, text } = filter;
  const searchedText = sql`${events.id} || ' ' || ${events.type} || ${events.data}`;
  const where = [
    filterBy(events.id, id),
    filterBy(events.type, type),
    filterBy(events.subjectId, subjectId),
    text === undefined ? undefined : contains(searchedText, literally(text)),
  ];
  return listCounted(tx, { list: 'events', table: events, where }, page);
}

export type EventRow = InferSelectModel<typeof events>;

interface NewEvent extends Owner {
  type: EventType;
  /** The order or case that the event is about. */
  subjectId: string;
  data: Record<string, unknown>;
}

const insertEvent = inserter(events);
const insertDelivery = inserter(deliveries);
const findWebhookUrl = select(webhooks, {
  columns: { url: webhooks.url },
  where: [matchingOwner(webhooks)],
});

/** Records an event and, if the partner has registered a webhook, its delivery. Sends nothing. */
export function recordEvent(tx: Tx, event: NewEvent): EventRow {
  const row: EventRow = { ...event, id: tx.nextId('evt'), createdAt: tx.now };
  insertEvent(tx, row);
  const deliveryId = queueDelivery(tx, row) ?? null;
  tx.logChange({
    what: 'event',
    detail: { event_id: row.id, type: row.type, delivery_id: deliveryId },
  });
  return row;
}

/** Adds a delivery that is due now. @returns its id; undefined if the partner has no webhook registered */
export function queueDelivery(tx: Tx, event: EventRow): string | undefined {
  const { partnerId, environment } = event;
  const webhook = findWebhookUrl(tx).get({ partnerId, environment });
  if (!webhook) return undefined;
  const id = tx.nextId('dlv');
  insertDelivery(tx, {
    id,
    eventId: event.id,
    partnerId,
    environment,
    url: webhook.url,
    status: 'pending',
    attemptCount: 0,
    nextAttemptAt: tx.now,
    createdAt: tx.now,
  });
  tx.wakeScheduler();
  return id;
}
