import { asc, eq } from 'drizzle-orm';
import { ENDPOINTS } from '../../api/index.ts';
import { EVENT_TYPES } from '../../events/event-types.ts';
import { domainOf, type EventRow } from '../../events/events.ts';
import { endpointOfRequest, spellPath } from '../../faults/fault-path.ts';
import { normalizeDomain } from '../../kernel/addresses.ts';
import { fieldsIn, parseJson } from '../../kernel/json.ts';
import { decodeEscapes } from '../../kernel/percent.ts';
import { RECORD } from '../../market/orders/order-actions.ts';
import { domainsOfNamedObjects, type OrderRow } from '../../market/orders/orders.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import { headerOf } from '../../requests/logged-request.ts';
import { deliveries, deliveryAttempts, events } from '../../store/schema/events.ts';
import { orders, orderTimeline } from '../../store/schema/orders.ts';
import { lister } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import type { AttemptRow, DeliveryRow } from '../../webhooks/delivery.ts';

/** A place in a run where a fault can act. */
export interface Point {
  /** `postOrder#1 auto-complete.test`. It depends on no body, id or time. */
  key: string;
  /** The operation, or the type of the event. */
  group: string;
  /** NO_DOMAIN for a call that names none. */
  domain: string;
  /** Counts the calls, or deliveries, of this group about this domain, from 1. */
  n: number;
  /** What faults match of a call; undefined for a delivery. */
  call?: { method: 'GET' | 'POST' | 'PUT'; path: string };
  /** Whether a call names a quote. This and the next two do not follow from the key: `pointOf` leaves them out. */
  hasQuote?: boolean;
  /** Whether a call caused a delivery. */
  delivers?: boolean;
  /** Whether a later delivery is about the same order or case. */
  hasLater?: boolean;
}

export function isWrite({ call }: Point): boolean {
  return call !== undefined && call.method !== 'GET';
}

/** Returns the point of a key; undefined if its domain is malformed, or there is no such operation or event type. */
export function pointOf(key: string): Point | undefined {
  const [, group = '', n, domain = ''] = /^([\w.]+)#([1-9]\d*) ([a-z\d.-]+)$/.exec(key) ?? [];
  const point = { key, group, domain, n: Number(n) };
  const endpoint = ENDPOINTS.find(({ name }) => name === group);
  if (!endpoint) return EVENT_TYPES.some((type) => type === group) ? point : undefined;
  const { method, path } = endpoint;
  return { ...point, call: { method: method as 'GET' | 'POST' | 'PUT', path: spellPath(path) } };
}

/** A call of the partner API as the log has it. */
export interface Call {
  /** Its key is empty if no fault can match the call. */
  point: Point;
  entry: RequestLogEntry;
}

/** A delivery with its event and its attempts. */
export interface Delivery {
  point: Point;
  row: DeliveryRow;
  event: EventRow;
  attempts: readonly AttemptRow[];
}

/** What a world recorded in a run. */
export interface Traffic {
  /** Where a fault could act, in the order of sandbox time; of one time, calls before deliveries. */
  points: Point[];
  calls: Call[];
  deliveries: Delivery[];
  orders: OrderRow[];
  /** The statuses that orders had, some repeated. The timeline lacks the first. */
  statuses: string[];
}

export const NO_DOMAIN = '-';
const attemptsOf = lister(deliveryAttempts, 'deliveryId');

/** Reads what a world recorded. @param end `seq` of the last call that can be a point: until then, faults can act */
export function readTraffic(tx: Tx, entries: readonly RequestLogEntry[], end: number): Traffic {
  const calls = callsOf(tx, entries);
  const sent = deliveriesOf(tx);
  const recorded = tx.db.select().from(orders).orderBy(asc(orders.id)).all();
  const moved = tx.db.selectDistinct({ status: orderTimeline.status }).from(orderTimeline).all();
  const reached = [
    ...calls
      // Of equal reads, only the first is a point.
      .filter(({ point, entry }) => entry.seq <= end && point.key !== '')
      .filter(({ point }) => isWrite(point) || point.n === 1)
      .map(({ point, entry }) => [entry.at, point] as const),
    ...sent.map(({ point, row }) => [row.createdAt, point] as const),
  ];
  return {
    points: reached.toSorted(([a], [b]) => a - b).map(([, point]) => point),
    calls,
    deliveries: sent,
    orders: recorded,
    statuses: [...recorded.map(() => RECORD.to), ...moved.map(({ status }) => status)],
  };
}

/** Returns the calls, without those of sandlot itself. A malformed domain counts as none. */
function callsOf(tx: Tx, entries: readonly RequestLogEntry[]): Call[] {
  const [next, nextRejected] = [pointCounter(), pointCounter()];
  // The log has them in the order of their responses.
  const begun = entries.toSorted((a, b) => (a.runs[0]?.n ?? 0) - (b.runs[0]?.n ?? 0));
  return begun.flatMap((entry) => {
    const { target, request, trace } = entry;
    const endpoint = endpointOfRequest(ENDPOINTS, entry);
    const isOwn = headerOf(request.headers, 'user-agent')?.startsWith('sandlot/');
    if (!endpoint || isOwn) return [];
    const named = namedIn(endpoint.path, target, request.body ?? '');
    // Faults match after this check. They do not count what it or an earlier one rejects.
    const isPoint = trace.some((step) => step.check === 'rate_limit' && step.result === 'passed');
    const point = (isPoint ? next : nextRejected)(endpoint.name, domainNamed(tx, named));
    const key = isPoint ? point.key : '';
    const hasQuote = typeof named.quote_id === 'string';
    const delivers = trace.some(({ detail }) => typeof detail?.delivery_id === 'string');
    return [{ point: { ...point, key, hasQuote, delivers }, entry }];
  });
}

function deliveriesOf(tx: Tx): Delivery[] {
  const rows = tx.db
    .select({ row: deliveries, event: events })
    .from(deliveries)
    .innerJoin(events, eq(events.id, deliveries.eventId))
    .orderBy(asc(deliveries.id))
    .all();
  const next = pointCounter();
  const last = new Map(rows.map(({ row, event }) => [event.subjectId, row.id]));
  return rows.map(({ row, event }) => {
    const point = next(event.type, domainOf(event));
    const hasLater = last.get(event.subjectId) !== row.id;
    return { point: { ...point, hasLater }, row, event, attempts: attemptsOf(tx, row.id) };
  });
}

/** The parameters, query and body of a request, as one object. */
function namedIn(endpoint: string, target: string, body: string): Record<string, unknown> {
  const [path = '', ...query] = target.split('?');
  // No path has another parameter than its last segment.
  const [, parameter] = /:(\w+)$/.exec(endpoint) ?? [];
  return {
    ...objectOf(body),
    ...Object.fromEntries(new URLSearchParams(query.join('?'))),
    ...(parameter && { [parameter]: decodeEscapes(path.split('/').at(-1) ?? '') }),
  };
}

/** Returns the domain that a request names, or that of the order or quote that it names, spelled as faults match it. */
export function domainNamed(tx: Tx, named: Record<string, unknown>): string | undefined {
  const { name, domain = name } = named;
  if (typeof domain === 'string') return normalizeDomain(domain);
  return domainsOfNamedObjects(tx, named)[0];
}

/** Returns the fields of a JSON object; none for text that is not JSON. */
export function objectOf(text: string): Record<string, unknown> {
  return fieldsIn(parseJson(text));
}

/** Returns a function that returns the next point of a group and a normalized domain. */
function pointCounter(): (group: string, domain: string | undefined) => Point {
  const counts = new Map<string, number>();
  return (group, domain = NO_DOMAIN) => {
    const about = `${group} ${domain}`;
    const n = (counts.get(about) ?? 0) + 1;
    counts.set(about, n);
    // Every normalized domain and every name of a group fits a key.
    return pointOf(`${group}#${n} ${domain}`) as Point;
  };
}
