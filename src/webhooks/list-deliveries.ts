import { and, eq, gt, gte, or, type SQL, sql } from 'drizzle-orm';
import { contains, literally } from '../store/like.ts';
import { type CountedPage, filterBy, listCounted, type PageRequest } from '../store/paging.ts';
import { DELIVERY_STATUSES } from '../store/schema/enums.ts';
import { deliveries, deliveryAttempts, events } from '../store/schema/events.ts';
import type { Tx } from '../store/transaction.ts';
import type { DeliveryRow } from './delivery.ts';

/** `failing`: failed, or pending after a failed attempt. */
export const LISTED_STATUSES = [...DELIVERY_STATUSES, 'failing'] as const;
type ListedStatus = (typeof LISTED_STATUSES)[number];

/** Filters of a list of deliveries. */
export interface DeliveryFilter {
  status?: ListedStatus | undefined;
  /** Status of the last response, or a class of them: `5xx`. */
  response?: string | undefined;
  /** Part of the URL; `*` matches any text. */
  url?: string | undefined;
  eventId?: string | undefined;
  /** Type of the event. */
  type?: string | undefined;
  /** The order or case that the event is about. */
  subjectId?: string | undefined;
  /** Domain of the order or case. */
  domain?: string | undefined;
  /** Text in the URL, the event or the last response, ignoring case. */
  text?: string | undefined;
  /** Creation in sandbox time, Unix ms. */
  since?: number | undefined;
  /** Duration of the last attempt in ms, both exclusive. */
  longerThan?: number | undefined;
  shorterThan?: number | undefined;
  allOf?: readonly DeliveryFilter[] | undefined;
  not?: DeliveryFilter | undefined;
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
  const { status, response, url, eventId, type, subjectId, domain, text, since } = filter;
  const { longerThan, shorterThan, allOf = [], not } = filter;
  return [
    filterBy(deliveries.eventId, eventId),
    status === 'failing' ? isFailing : filterBy(deliveries.status, status)?.inlineParams(),
    since === undefined ? undefined : gte(deliveries.createdAt, since),
    url === undefined ? undefined : contains(deliveries.url, literally(url).replaceAll('*', '%')),
    subjectId === undefined ? undefined : eventMatches(eq(events.subjectId, subjectId)),
    type === undefined ? undefined : eventMatches(sql`${events.type} = ${type}`),
    domain === undefined
      ? undefined
      : eventMatches(
          sql`coalesce(${events.data} ->> '$.order.domain', ${events.data} ->> '$.case.domain') = ${domain}`,
        ),
    response === undefined ? undefined : lastAttemptMatches(statusIs(response)),
    longerThan === undefined ? undefined : lastAttemptMatches(sql`duration_ms > ${longerThan}`),
    shorterThan === undefined ? undefined : lastAttemptMatches(sql`duration_ms < ${shorterThan}`),
    text === undefined ? undefined : hasText(literally(text)),
    ...allOf.flatMap(conditionsOf),
    not && sql`(${and(...conditionsOf(not))}) IS NOT TRUE`,
  ];
}

const isFailing = or(
  eq(deliveries.status, 'failed'),
  and(eq(deliveries.status, 'pending'), gt(deliveries.attemptCount, 0)),
);

function eventMatches(condition: SQL): SQL {
  return sql`${deliveries.eventId} IN (SELECT ${events.id} FROM ${events} WHERE ${condition})`;
}

/** Applies a condition to the last attempt. */
function lastAttemptMatches(condition: SQL): SQL {
  const { deliveryId, id } = deliveryAttempts;
  return sql`(SELECT ${condition} FROM ${deliveryAttempts} WHERE ${deliveryId} = ${deliveries.id} ORDER BY ${id} DESC LIMIT 1)`;
}

function statusIs(status: string): SQL {
  if (!status.endsWith('xx')) return sql`http_status = ${Number(status)}`;
  return sql`http_status / 100 = ${Number(status[0])}`;
}

function hasText(text: string): SQL {
  const inEvent = eventMatches(
    contains(sql`${events.id} || ${events.type} || ${events.data}`, text),
  );
  const inResponse = lastAttemptMatches(
    contains(sql`coalesce(${deliveryAttempts.response}, outcome)`, text),
  );
  return sql`(${contains(sql`${deliveries.id} || ' ' || ${deliveries.url}`, text)} OR ${inEvent} OR ${inResponse})`;
}
