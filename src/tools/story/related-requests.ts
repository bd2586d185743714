import { and, eq, gte, inArray, isNull, like, not, or } from 'drizzle-orm';
import { withSubjects } from '../../control/request-subjects.ts';
import { aboutDomain } from '../../control/where.ts';
import type { EventRow } from '../../events/events.ts';
import { normalizeDomain } from '../../kernel/addresses.ts';
import { parseShallowJson } from '../../kernel/json.ts';
import type { OrderRow, TimelineEntryRow } from '../../market/orders/orders.ts';
import { hasText } from '../../requests/conditions.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import { requests } from '../../requests/log-file.ts';
import type { RequestLog } from '../../requests/request-log.ts';
import type { DeliveryWithAttempts } from '../../webhooks/delivery.ts';
import type { World } from '../../world/world.ts';

const MAX_ROWS_PER_QUERY = 2_000;

const SALES = '/api/partner/v1/orders';
const QUOTES = '/api/partner/v1/quotes';
/** Partner API endpoints that show orders. */
const READ_ENDPOINTS = [
  SALES,
  `${SALES}/:public_id`,
  '/api/partner/v1/transactions',
  '/api/partner/v1/events',
];
export const RESEND = '/_sandbox/events/:id/resend';
export const RETRY = '/_sandbox/deliveries/:id/retry';
const SETTLE = '/_sandbox/settlements/run';
const CLOCK = '/_sandbox/clock/';
const SNAPSHOTS = '/_sandbox/snapshots';
const RESTORE = `${SNAPSHOTS}/:name/restore`;

/** Whether an operator asked to move, freeze or resume the clock. Reads of the clock are not in the log. */
export function movesClock({ endpoint }: RequestLogEntry): boolean {
  return endpoint?.startsWith(CLOCK) === true;
}

/** Returns the moves of an order that a request made. A settlement run has one, even if it did not settle the order. */
export function movesOf({ endpoint, trace }: RequestLogEntry, orderId: string) {
  // The trace of a run that settles many orders has only the first.
  if (endpoint === SETTLE) return [{ to: 'SETTLED', from: undefined }];
  return trace
    .map(({ check, detail }) => (check === 'transition' ? (detail ?? {}) : {}))
    .filter(({ order_id }) => order_id === orderId);
}

/** Whether a request recorded this order. */
export function isSaleOf(entry: RequestLogEntry, orderId: string): boolean {
  return movesOf(entry, orderId).some(({ from }) => from === null);
}

/**
 * Finds the requests that touched an order, oldest first: requests that name it or its quote, rejected orders and quotes
 * of the same partner for its domain, retries of its deliveries, and clock moves meanwhile. The log may have thousands of
 * requests, of which few are read.
 */
export function relatedRequests(
  log: RequestLog,
  world: World,
  facts: OrderFacts,
): RequestLogEntry[] {
  const { order } = facts;
  const isRead = inArray(requests.method, ['GET', 'HEAD']);
  const mayChangeOrder = and(
    not(isRead),
    or(
      hasText(order.id),
      inArray(requests.endpoint, [SNAPSHOTS, RESTORE]),
      order.quoteToken === null ? undefined : hasText(order.quoteToken),
    ),
  );
  const isPartner = eq(requests.api, 'partner');
  const isAttempt = and(isPartner, eq(requests.method, 'POST'), aboutDomain(order.domain));
  const isByOperator = and(
    or(like(requests.endpoint, `${CLOCK}%`), inArray(requests.endpoint, [RESEND, RETRY, SETTLE])),
    gte(requests.at, order.createdAt),
  );
  // A read that was rejected before it was routed has no endpoint.
  const mayRead = or(inArray(requests.endpoint, READ_ENDPOINTS), isNull(requests.endpoint));
  const readsOrder = and(isPartner, isRead, mayRead, hasText(order.id));
  // Several queries, so that many reads, attempts or clock moves leave room for the sale.
  const logged = [mayChangeOrder, isAttempt, isByOperator, readsOrder]
    .flatMap((where) => log.list(world, { where, limit: MAX_ROWS_PER_QUERY }))
    .sort((a, b) => a.seq - b.seq);
  const entries = withoutUndone(logged.filter(({ seq }, n) => seq !== logged[n - 1]?.seq));
  const isAboutOrder = filterOfOrder(order, entries);
  return entries.filter((entry) => isAboutOrder(entry) || isOperatorContext(entry, facts));
}

/** Removes the requests that a restore has undone; the log hides those before a reset. @param entries oldest first */
function withoutUndone(entries: readonly RequestLogEntry[]): RequestLogEntry[] {
  const saved = new Map<unknown, RequestLogEntry[]>();
  let rest: RequestLogEntry[] = [];
  for (const entry of entries) {
    const { endpoint, status, target, response } = entry;
    if (endpoint === SNAPSHOTS) saved.set(parseBody(response.body).name, rest.slice());
    const [, , , name] = target.split('/');
    if (endpoint === RESTORE && status === 200) rest = saved.get(name)?.slice() ?? [];
    else rest.push(entry);
  }
  return rest;
}

/**
 * Returns a filter of requests about this order: those that name it or its quote, and rejected ones for the same domain
 * since its previous sale and before its next. One with a wrong signature counts too, because its partner is unknown.
 */
function filterOfOrder(order: OrderRow, entries: readonly RequestLogEntry[]) {
  const sale = entries.findLast((entry) => isSaleOf(entry, order.id));
  const { environment: own } = order;
  const isOfDomain = (entry: RequestLogEntry) =>
    (entry.environment ?? own) === own && requestedDomain(entry) === order.domain;
  const otherSales = entries.filter(
    (entry) => isOfDomain(entry) && isSale(entry) && !mentions(entry, order.id),
  );
  const previous = otherSales.findLast(({ seq }) => seq < (sale?.seq ?? 0));
  const next = otherSales.find(({ seq }) => seq > (sale?.seq ?? 0));
  return (entry: RequestLogEntry): boolean => {
    if (mentions(entry, order.id)) return true;
    if (order.quoteToken !== null && mentions(entry, order.quoteToken)) return true;
    const isRejected = entry.status === null || entry.status >= 400;
    const isOwn = entry.partnerId === null || entry.partnerId === order.partnerId;
    const isBetween = entry.seq > (previous?.seq ?? 0) && entry.seq < (next?.seq ?? Infinity);
    return isRejected && isOwn && isBetween && isOfDomain(entry);
  };
}

/** Whether a request recorded any order. */
function isSale({ trace }: RequestLogEntry): boolean {
  return trace.some(({ check, detail }) => check === 'transition' && detail?.from === null);
}

/** Whether an operator changed the clock, resent an event or delivery of the order, or settled it with many others. */
function isOperatorContext(entry: RequestLogEntry, { events, deliveries, timeline }: OrderFacts) {
  const { endpoint, target, status, runs, response } = entry;
  // The log has only the beginning of a long response, which may not name this order. Of two runs at the same time, only
  // the first settles orders, and so has a long response.
  if (endpoint === SETTLE && response.altered === 'truncated') {
    return timeline.some((move) => move.status === 'SETTLED' && runs[0]?.now === move.at);
  }
  if (endpoint === RESEND || endpoint === RETRY) {
    const parts = target.split(/[/?]/);
    return [...events, ...deliveries].some(({ id }) => parts.includes(id));
  }
  return status === 200 && movesClock(entry);
}

function mentions({ target, request, response, trace }: RequestLogEntry, text: string): boolean {
  const texts = [target, request.body, response.body, JSON.stringify(trace)];
  return texts.some((part) => part?.includes(text));
}

/** Returns the domain that a request for an order or a quote names, or that of the quote that it names. */
function requestedDomain(entry: RequestLogEntry): string | undefined {
  const [path = ''] = entry.target.split('?');
  if (entry.method !== 'POST' || (path !== SALES && path !== QUOTES)) return undefined;
  return normalizeDomain(withSubjects(entry).domain ?? '');
}

/** Parses a body, without lists and objects in it; empty if it is not JSON, or the log has only its start. */
export function parseBody(body: string | null): Record<string, unknown> {
  const fields = Object.entries(Object(parseShallowJson(body ?? '')));
  return Object.fromEntries(fields.filter(([, field]) => typeof field !== 'object'));
}

/** The facts about an order in the database; lists are oldest first. */
export interface OrderFacts {
  order: OrderRow & { partner: string };
  timeline: readonly TimelineEntryRow[];
  events: readonly EventRow[];
  deliveries: readonly DeliveryWithAttempts[];
}

export interface StoryFacts extends OrderFacts {
  /** Oldest first. */
  requests: readonly RequestLogEntry[];
}
