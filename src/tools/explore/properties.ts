import { countOf } from '../../kernel/count.ts';
import { TRANSITIONS } from '../../market/orders/order-actions.ts';
import type { OrderRow } from '../../market/orders/orders.ts';
import type { Fault } from './kinds.ts';
import { type Call, isWrite, NO_DOMAIN, objectOf, type Traffic } from './traffic.ts';

/** A property that does not hold after a run. */
export interface Violation {
  property: string;
  sentence: string;
  /** The domain that the story of the finding is about; undefined for all. */
  domain: string | undefined;
}

export function violation(property: string, sentence: string, domain?: string): Violation {
  return { property, sentence, domain };
}

interface Expectation {
  /** What the first clean run recorded. */
  clean: Traffic;
  hasApp: boolean;
  /** Whether the workload has passed. */
  hasPassed: boolean;
  clientTimeoutMs: number;
  faults: readonly Fault[];
}

/** Statuses without an event, so that only an application that reads orders can know them, each with the one before. */
export const WITHOUT_EVENT = new Map(
  TRANSITIONS.filter(({ event }) => event === null).map(({ to, from }) => [to, from]),
);
/** More additional writes than this, of one operation about one domain, are endless retries. */
const MAX_RETRIES = 50;
/** Operations by which an application can learn of its orders. */
const POLLS = new Set(['getOrders', 'getOrder', 'getEvents']);

/** Returns the `traffic.*` properties that do not hold. */
export function trafficViolations(traffic: Traffic, expected: Expectation): Violation[] {
  const { hasApp, hasPassed, clean } = expected;
  return [
    ...soldTwice(traffic, expected),
    // Without an app, a test that fails has stopped listening.
    ...(hasApp || (hasPassed && [traffic, clean].some(canHear)) ? unheard(traffic, expected) : []),
    ...endlessRetries(traffic, expected),
    ...(hasApp ? [...outdated(traffic, expected), ...notAcknowledged(traffic, expected)] : []),
  ];
}

function soldTwice({ orders }: Traffic, { clean }: Expectation): Violation[] {
  const usual = Map.groupBy(clean.orders.filter(isSale), saleOf);
  const sales = Map.groupBy(orders.filter(isSale), saleOf);
  return [...sales].flatMap(([key, sold]) => {
    // A reference that is another one in each run is not in the clean run.
    const expected = usual.get(key)?.length ?? 1;
    const [order] = sold;
    if (!order || sold.length <= expected) return [];
    const { domain, externalPaymentRef: reference, buyerEmail } = order;
    const which =
      reference === null ? `for buyer ${buyerEmail ?? 'unknown'}` : `with reference ${reference}`;
    const sentence = `The run recorded ${countOf(sold.length, 'order')} for ${domain} ${which}. A clean run records ${expected}.`;
    return violation('traffic.sold_twice', sentence, domain);
  });
}

/** Whether the application can learn of an order whose response is lost: it polls, or receives webhooks. */
export function canHear({ calls, deliveries }: Traffic): boolean {
  return deliveries.length > 0 || calls.some(({ point }) => POLLS.has(point.group));
}

function unheard(traffic: Traffic, expected: Expectation): Violation[] {
  const heard = [...textsOf(traffic, expected)];
  return traffic.orders
    .filter(({ id }) => !heard.some((text) => text.includes(id)))
    .map((order) => untold('traffic.unheard', order, 'was recorded, but'));
}

function endlessRetries({ calls }: Traffic, { clean }: Expectation): Violation[] {
  const usual = Map.groupBy(clean.calls, callOf);
  const writes = calls.filter(({ point }) => isWrite(point));
  return [...Map.groupBy(writes, callOf)].flatMap(([call, made]) => {
    const expected = usual.get(call)?.length ?? 0;
    if (made.length <= expected + MAX_RETRIES) return [];
    const sentence = `The run called ${call} ${made.length} times. A clean run calls it ${countOf(expected, 'time')}.`;
    return violation('traffic.endless_retry', sentence, made[0]?.point.domain);
  });
}

function outdated(traffic: Traffic, expected: Expectation): Violation[] {
  const shown = new Set<string>();
  for (const text of textsOf(traffic, expected)) collectStatuses(objectOf(text), shown);
  return traffic.orders
    .filter(({ id, status }) => !WITHOUT_EVENT.has(status) && !shown.has(`${id} ${status}`))
    .map((order) => untold('traffic.outdated', order, `is ${order.status}, and`));
}

function untold(property: string, { id, domain }: OrderRow, what: string): Violation {
  const sentence = `Order ${id} ${what} no response and no acknowledged webhook told the application.`;
  return violation(property, sentence, domain);
}

function notAcknowledged({ deliveries }: Traffic, { faults }: Expectation): Violation[] {
  const touched = new Set(faults.map(({ point }) => point.key));
  // A killed app stays down until the workload has ended, which may move the clock past all attempts.
  const isKilled = faults.some(({ kind }) => kind.id.startsWith('app.'));
  return deliveries
    .filter(({ row, point }) => row.status === 'failed' && !touched.has(point.key))
    .filter(({ attempts }) => !isKilled || attempts.at(-1)?.outcome !== 'connection_refused')
    .map(({ row, point: { group, domain } }) => {
      const sentence = `No attempt to deliver ${group} (${row.id}) was acknowledged, although no fault touched it.`;
      return violation('traffic.not_acknowledged', sentence, domain);
    });
}

/** What reached the application: successful responses in time, and the bodies of acknowledged webhooks. */
function* textsOf({ calls, deliveries }: Traffic, expected: Expectation): Generator<string> {
  for (const { entry } of calls) {
    const inTime = entry.durationUs / 1_000 <= expected.clientTimeoutMs;
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

export const isSale = ({ status }: OrderRow) => status !== 'REFUNDED' && status !== 'CANCELLED';
const saleOf = ({ domain, externalPaymentRef: reference, buyerEmail }: OrderRow) =>
  JSON.stringify([domain, reference ?? buyerEmail]);
const callOf = ({ point: { group, domain } }: Call) =>
  domain === NO_DOMAIN ? group : `${group} for ${domain}`;
