import { asc, eq } from 'drizzle-orm';
import { ENDPOINTS } from '../../api/index.ts';
import { EVENT_TYPES } from '../../events/event-types.ts';
import { domainOf, type EventRow } from '../../events/events.ts';
import { spellPath } from '../../faults/path-pattern.ts';
import { normalizeDomain } from '../../kernel/addresses.ts';
import { RECORD } from '../../market/orders/order-actions.ts';
import { domainsOfNamedObjects, type OrderRow } from '../../market/orders/orders.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import { headerOf } from '../../requests/logged-request.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { deliveries, deliveryAttempts, events } from '../../store/schema/events.ts';
import { orders, orderTimeline } from '../../store/schema/orders.ts';
import { lister } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import type { AttemptRow, DeliveryRow } from '../../webhooks/delivery.ts';
import type { World } from '../../world/world.ts';

/** Stands for the domain of a call that names none. */
const NO_DOMAIN = '-';

/** A place in a run where a fault can act. */
export type Point = CallPoint | DeliveryPoint;

interface PointBase {
  /** `postOrder#1 auto-complete.test`. It depends on no body, id or time. */
  key: string;
  /** The operation, or the type of the event. */
  group: string;
  domain: string;
  /** Counts the calls, or deliveries, of this group about this domain. */
  n: number;
}

export interface CallPoint extends PointBase {
  at: 'call';
  method: 'GET' | 'POST' | 'PUT';
  /** As faults spell it. */
  path: string;
  hasQuote?: boolean;
  /** Whether the call caused a delivery. */
  delivers?: boolean;
}

export interface DeliveryPoint extends PointBase {
  at: 'delivery';
  /** Whether a later delivery is about the same order. */
  hasLater?: boolean;
}

/** Returns the point of a key; undefined if there is no such operation or event type. */
export function pointOf(key: string): Point | undefined {
  const [, group = '', n, domain = ''] = /^([\w.]+)#([1-9]\d*) (\S+)$/.exec(key) ?? [];
  const base = { key, group, domain, n: Number(n) };
  const endpoint = ENDPOINTS.find(({ name }) => name === group);
  if (endpoint) {
    const method = endpoint.method as CallPoint['method'];
    return { at: 'call', ...base, method, path: spellPath(endpoint.path) };
  }
  return EVENT_TYPES.some((type) => type === group) ? { at: 'delivery', ...base } : undefined;
}

/** A call of the partner API as the log has it. */
export interface Call {
  point: CallPoint;
  entry: RequestLogEntry;
}

/** A delivery with its event and its attempts. */
export interface Delivery {
  point: DeliveryPoint;
  row: DeliveryRow;
  event: EventRow;
  attempts: readonly AttemptRow[];
}

/** What a world recorded in a run. */
export interface Traffic {
  calls: Call[];
  deliveries: Delivery[];
  orders: OrderRow[];
  /** The statuses that orders had. */
  statuses: string[];
}

const attemptsOf = lister(deliveryAttempts, 'deliveryId');

/** Reads what a world recorded since an entry of its log. Requests of sandlot itself do not count. */
export function readTraffic({ requests }: Sandbox, world: World, after: number): Traffic {
  // The log has them in the order of their responses.
  const entries = requests
    .list(world, { api: 'partner' }, { first: after + 1, limit: -1 })
    .toSorted((a, b) => (a.runs[0]?.n ?? 0) - (b.runs[0]?.n ?? 0));
  return world.read((tx) => ({
    calls: callsOf(tx, entries),
    deliveries: deliveriesOf(tx),
    orders: tx.db.select().from(orders).orderBy(asc(orders.id)).all(),
    statuses: statusesOf(tx),
  }));
}

/** The points of a run up to an entry of the log, in the order in which they were reached. */
export function pointsOf({ calls, deliveries }: Traffic, last: number): Point[] {
  const times = [
    ...calls
      .filter(({ entry }) => entry.seq <= last)
      .map(({ point, entry }) => ({ point, at: entry.at })),
    ...deliveries.map(({ point, row }) => ({ point, at: row.createdAt })),
  ];
  const isPoint = (point: Point) =>
    point.at === 'delivery' || point.method !== 'GET' || point.n === 1;
  return times
    .toSorted((a, b) => a.at - b.at)
    .map(({ point }) => point)
    .filter(isPoint);
}

function statusesOf({ db }: Tx): string[] {
  const first = db.select({ id: orders.id }).from(orders).limit(1).all();
  const moved = db.selectDistinct({ status: orderTimeline.status }).from(orderTimeline).all();
  return [...first.map(() => RECORD.to), ...moved.map(({ status }) => status)];
}

function callsOf(tx: Tx, entries: readonly RequestLogEntry[]): Call[] {
  const keys = new Keys();
  return entries.flatMap((entry) => {
    const { target, request, trace } = entry;
    const method = entry.method === 'HEAD' ? 'GET' : entry.method;
    const endpoint = ENDPOINTS.find(
      (each) => each.method === method && each.path === entry.endpoint,
    );
    const isOwn = headerOf(request.headers, 'user-agent')?.startsWith('sandlot/');
    if (!endpoint || isOwn) return [];
    const named = namedIn(endpoint.path, target, request.body ?? '');
    const point = pointOf(keys.next(endpoint.name, domainNamed(tx, named)));
    if (point?.at !== 'call') return [];
    const hasQuote = typeof named.quote_id === 'string';
    const delivers = trace.some(({ detail }) => typeof detail?.delivery_id === 'string');
    return [{ point: { ...point, hasQuote, delivers }, entry }];
  });
}

function deliveriesOf(tx: Tx): Delivery[] {
  const rows = tx.db
    .select({ row: deliveries, event: events })
    .from(deliveries)
    .innerJoin(events, eq(events.id, deliveries.eventId))
    .orderBy(asc(deliveries.id))
    .all();
  const keys = new Keys();
  return rows.flatMap(({ row, event }, at) => {
    const point = pointOf(keys.next(event.type, domainOf(event)));
    if (point?.at !== 'delivery') return [];
    const hasLater = rows.slice(at + 1).some((later) => later.event.subjectId === event.subjectId);
    return { point: { ...point, hasLater }, row, event, attempts: attemptsOf(tx, row.id) };
  });
}

/** The parameters, query and body of a request, as one object. */
export function namedIn(endpoint: string, target: string, body: string): Record<string, unknown> {
  const [path = '', query = ''] = target.split('?', 2);
  const segments = path.split('/');
  const params = endpoint
    .split('/')
    .flatMap((name, at) => (name.startsWith(':') ? [[name.slice(1), segments[at]]] : []));
  return {
    ...objectOf(body),
    ...Object.fromEntries(new URLSearchParams(query)),
    ...Object.fromEntries(params),
  };
}

/** The domain that a request names, or that of the order or quote that it names, as faults match it. */
export function domainNamed(tx: Tx, named: Record<string, unknown>): string | undefined {
  const { name, domain = name } = named;
  if (typeof domain === 'string') return normalizeDomain(domain);
  return domainsOfNamedObjects(tx, named)[0];
}

export function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Makes the keys of points, and counts them. */
class Keys {
  readonly #counts = new Map<string, number>();

  next(group: string, domain = NO_DOMAIN): string {
    const about = `${group} ${domain}`;
    const n = (this.#counts.get(about) ?? 0) + 1;
    this.#counts.set(about, n);
    return `${group}#${n} ${domain}`;
  }
}
