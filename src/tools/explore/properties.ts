import { countOf } from '../../kernel/count.ts';
import { TRANSITIONS } from '../../market/orders/order-actions.ts';
import type { OrderRow } from '../../market/orders/orders.ts';
import type { StateRow } from './state.ts';
import { type Call, objectOf, type Traffic } from './traffic.ts';

/** A property that does not hold after a run. */
export interface Broken {
  property: string;
  sentence: string;
  /** The domain that it is about; undefined for all. */
  domain: string | undefined;
}

export function broken(property: string, sentence: string, domain?: string): Broken {
  return { property, sentence, domain };
}

/** What the properties of the traffic compare a run with. */
export interface Baseline {
  /** How many orders the clean run recorded, by domain and payment reference. */
  sales: ReadonlyMap<string, number>;
  /** How many writes it made, by operation and domain. */
  writes: ReadonlyMap<string, number>;
}

export interface Judging {
  baseline: Baseline;
  hasApp: boolean;
  /** Whether the workload has passed. */
  hasPassed: boolean;
  clientTimeoutMs: number;
  /** Points of the deliveries that a fault touched. */
  touched: ReadonlySet<string>;
}

/** Statuses that no event tells, so that only an application that reads orders can know them. */
const UNTOLD = new Set(TRANSITIONS.filter(({ event }) => event === null).map(({ to }) => to));
/** More calls than the clean run made by which a client retries endlessly. */
const MAX_RETRIES = 50;
const POLLS = new Set(['getOrders', 'getOrder', 'getEvents']);

export function baselineOf({ orders, calls }: Traffic): Baseline {
  return {
    sales: countBy(orders.filter(isSale), saleOf),
    writes: countBy(calls.filter(isWrite), callOf),
  };
}

/** The properties of the traffic that a run breaks. */
export function brokenInTraffic(traffic: Traffic, judging: Judging): Broken[] {
  const { hasApp, hasPassed } = judging;
  return [
    ...soldTwice(traffic, judging),
    // Without an app, a test that fails has stopped listening.
    ...(hasApp || (hasPassed && canHear(traffic)) ? unheard(traffic, judging) : []),
    ...endlessRetries(traffic, judging),
    ...(hasApp ? [...outdated(traffic, judging), ...notAcknowledged(traffic, judging)] : []),
  ];
}

function soldTwice({ orders }: Traffic, { baseline }: Judging): Broken[] {
  const sales = Map.groupBy(orders.filter(isSale), saleOf);
  return [...sales].flatMap(([key, sold]) => {
    // A reference that is another one in each run is not in the clean run.
    const expected = Math.max(1, baseline.sales.get(key) ?? 0);
    const [order] = sold;
    if (!order || sold.length <= expected) return [];
    const { domain, externalPaymentRef: reference, buyerEmail } = order;
    const which =
      reference === null ? `for buyer ${buyerEmail ?? 'unknown'}` : `with reference ${reference}`;
    const sentence = `The run recorded ${countOf(sold.length, 'order')} for ${domain} ${which}. A clean run records ${expected}.`;
    return broken('traffic.sold_twice', sentence, domain);
  });
}

/** Whether an application without a process of its own can learn of an order without a response. */
export function canHear({ calls, deliveries }: Traffic): boolean {
  return deliveries.length > 0 || calls.some(({ point }) => POLLS.has(point.group));
}

function unheard(traffic: Traffic, judging: Judging): Broken[] {
  const heard = [...textsOf(traffic, judging)];
  return traffic.orders
    .filter(({ id }) => !heard.some((text) => text.includes(id)))
    .map(({ id, domain }) => {
      const sentence = `Order ${id} was recorded, but no response and no acknowledged webhook told the application.`;
      return broken('traffic.unheard', sentence, domain);
    });
}

function endlessRetries({ calls }: Traffic, { baseline }: Judging): Broken[] {
  const writes = Map.groupBy(calls.filter(isWrite), callOf);
  return [...writes].flatMap(([key, made]) => {
    const expected = baseline.writes.get(key) ?? 0;
    const [first] = made;
    if (!first || made.length <= expected + MAX_RETRIES) return [];
    const { group, domain } = first.point;
    const sentence = `The run called ${group} for ${domain} ${made.length} times. A clean run calls it ${expected} times.`;
    return broken('traffic.endless_retry', sentence, domain);
  });
}

function outdated(traffic: Traffic, judging: Judging): Broken[] {
  const shown = new Set<string>();
  for (const text of textsOf(traffic, judging)) collectStatuses(objectOf(text), shown);
  return traffic.orders
    .filter(({ id, status }) => !UNTOLD.has(status) && !shown.has(`${id} ${status}`))
    .map(({ id, domain, status }) => {
      const sentence = `Order ${id} is ${status}, and no response and no acknowledged webhook told the application.`;
      return broken('traffic.outdated', sentence, domain);
    });
}

function notAcknowledged({ deliveries }: Traffic, { touched }: Judging): Broken[] {
  return deliveries
    .filter(({ row, point }) => row.status === 'failed' && !touched.has(point.key))
    .map(({ row, point: { group, domain } }) => {
      const sentence = `No attempt to deliver ${group} (${row.id}) was acknowledged, although no fault touched it.`;
      return broken('traffic.not_acknowledged', sentence, domain);
    });
}

/** What reached the application: complete responses in time, and the bodies of acknowledged webhooks. */
function* textsOf({ calls, deliveries }: Traffic, judging: Judging): Generator<string> {
  for (const { entry } of calls) {
    const inTime = entry.durationUs / 1_000 <= judging.clientTimeoutMs;
    const isOk = entry.status !== null && entry.status < 300;
    if (inTime && isOk) yield entry.response.body ?? '';
  }
  for (const { row, event } of deliveries) {
    if (row.status === 'delivered') yield JSON.stringify(event.data);
  }
}

/** Collects `ID STATUS` of each order in a document. */
function collectStatuses(value: unknown, into: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  const { public_id: id, status } = value as Record<string, unknown>;
  if (typeof id === 'string' && typeof status === 'string') into.add(`${id} ${status}`);
  for (const part of Object.values(value)) collectStatuses(part, into);
}

const isSale = ({ status }: OrderRow) => status !== 'REFUNDED' && status !== 'CANCELLED';
const saleOf = ({ domain, externalPaymentRef: reference, buyerEmail }: OrderRow) =>
  JSON.stringify([domain, reference ?? buyerEmail]);
const isWrite = ({ point }: Call) => point.method !== 'GET';
const callOf = ({ point }: Call) => `${point.group} ${point.domain}`;

function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, number> {
  const groups = Map.groupBy(items, keyOf);
  return new Map(Array.from(groups, ([key, { length }]) => [key, length]));
}

/** The properties of what the app believes that a run breaks. What a row leaves out is not compared. */
export function brokenInState(rows: readonly StateRow[], { orders }: Traffic): Broken[] {
  const known = Map.groupBy(rows, ({ order }) => order);
  const pending = rows.filter((row) => row.pending === true);
  const unrecorded = rows.filter(
    (row) => row.order !== null && !orders.some(({ id }) => id === row.order),
  );
  return [
    ...orders.flatMap((order) => {
      const [row, ...more] = known.get(order.id) ?? [];
      if (row && more.length === 0) return differences(row, order);
      const times = row ? `has it ${countOf(more.length + 1, 'time')}` : 'does not know it';
      const sentence = `The marketplace recorded order ${order.id} for ${order.domain}. The app ${times}.`;
      return broken('state.known', sentence, order.domain);
    }),
    ...unrecorded.map(({ order, domain }) =>
      broken('state.known', `The marketplace never recorded order ${order} of the app.`, domain),
    ),
    ...pending.map(({ domain }) =>
      broken('state.pending', `The app's sale of ${domain} is still pending.`, domain),
    ),
  ];
}

function differences(row: StateRow, order: OrderRow): Broken[] {
  const { id, status } = order;
  const completed = Number(status === 'TRANSFER_COMPLETED' || status === 'SETTLED');
  const refunded = Number(!isSale(order));
  const { fulfilled = completed } = row;
  const appRefunded = Number(row.refunded ?? refunded);
  const same = (name: string, app: unknown, market: unknown, property = 'state.same_sale') => ({
    ...{ property, app: app ?? market, market },
    sentence: `The app's ${name} of order ${id} is ${app}. That of the marketplace is ${market}.`,
  });
  const compared = [
    same('domain', row.domain, order.domain),
    same('ref', row.ref, order.externalPaymentRef),
    same('price_cents', row.price_cents, order.salePriceCents),
    same('status', UNTOLD.has(status) ? null : row.status, status, 'state.status'),
    {
      ...{ property: 'state.fulfilled', app: fulfilled, market: completed },
      sentence: `The app fulfilled order ${id} ${timesOf(fulfilled)}. The marketplace completed it ${timesOf(completed)}.`,
    },
    {
      ...{ property: 'state.refunded', app: appRefunded, market: refunded },
      sentence: `The app refunded order ${id} ${timesOf(appRefunded)}. The marketplace refunded it ${timesOf(refunded)}.`,
    },
  ];
  return compared
    .filter(({ app, market }) => app !== market)
    .map(({ property, sentence }) => broken(property, sentence, row.domain));
}

function timesOf(count: number): string {
  return ['never', 'once'][count] ?? countOf(count, 'time');
}
