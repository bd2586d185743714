import { parseDuration } from '../kernel/time.ts';
import type { OrderRow } from '../market/orders/orders.ts';
import type { RequestFilter } from '../requests/list-requests.ts';
import type { RequestLogEntry } from '../requests/log-entry.ts';
import { headerOf } from '../requests/logged-request.ts';
import type { RequestLog } from '../requests/request-log.ts';
import type { OrderFacts } from './story-facts.ts';

const MAX_ACTS = 1_000;
const MAX_READS = 200;

const SALES = '/api/partner/v1/orders';
export const RESEND = '/_sandbox/events/:id/resend';
export const RETRY = '/_sandbox/deliveries/:id/retry';
export const RESTORE = '/_sandbox/snapshots/:name/restore';
const CLOCK = '/_sandbox/clock/';
const CLOCK_ACTS = ['advance', 'set', 'next', 'until', 'freeze', 'resume'].map(
  (act) => `${CLOCK}${act}`,
);

export function movesClock({ endpoint }: RequestLogEntry): boolean {
  return endpoint?.startsWith(CLOCK) === true;
}

/** The transitions of an order that the trace of a request records. */
export function transitionsIn(
  { trace }: RequestLogEntry,
  orderId: string,
): { from: unknown; to: unknown }[] {
  return trace.flatMap(({ check, detail }) =>
    check === 'transition' && detail?.order_id === orderId
      ? [{ from: detail.from, to: detail.to }]
      : [],
  );
}

export function isSaleOf(entry: RequestLogEntry, orderId: string): boolean {
  return transitionsIn(entry, orderId).some(({ from }) => from === null);
}

/**
 * Finds the requests that touched an order: those that name it or its quote, sales of its domain that the same partner
 * tried for it, retries of its deliveries, and what moved the clock meanwhile. Oldest first.
 */
export function relatedRequests(log: RequestLog, facts: OrderFacts): RequestLogEntry[] {
  const { order } = facts;
  const named: RequestFilter[] = [{ mentions: order.id }];
  if (order.quoteToken !== null) named.push({ mentions: order.quoteToken });
  const sales: RequestFilter = {
    endpoints: [SALES],
    partnerId: order.partnerId,
    mentions: order.domain,
  };
  const acts = log.list({ reads: false, anyOf: [...named, sales] }, { limit: MAX_ACTS });
  const sale = acts.find((entry) => isSaleOf(entry, order.id));
  const found = [
    ...attemptsOf(order, acts, sale),
    ...sameKey(log, sale),
    ...log.list({ reads: true, mentions: order.id }, { limit: MAX_READS }),
    ...surroundings(log, facts),
  ];
  const bySeq = new Map(found.map((entry) => [entry.seq, entry]));
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq);
}

/** Leaves out the attempts at other orders of the same domain: those before the previous one, or after the next one. */
function attemptsOf(
  order: OrderRow,
  acts: readonly RequestLogEntry[],
  sale: RequestLogEntry | undefined,
): RequestLogEntry[] {
  const others = acts.filter(
    ({ endpoint, trace }) =>
      endpoint === SALES &&
      trace.some(
        ({ check, detail }) =>
          check === 'transition' && detail?.from === null && detail.order_id !== order.id,
      ),
  );
  const seq = sale?.seq ?? 0;
  const previous = Math.max(0, ...others.map((each) => each.seq).filter((each) => each < seq));
  const next = Math.min(Infinity, ...others.map((each) => each.seq).filter((each) => each > seq));
  return acts.filter((entry) => {
    if (mentions(entry, order.id)) return true;
    if (others.includes(entry)) return false;
    if (order.quoteToken !== null && mentions(entry, order.quoteToken)) return true;
    const isRejected = entry.status === null || entry.status >= 400;
    return (
      isRejected && sellsDomain(entry, order.domain) && entry.seq > previous && entry.seq < next
    );
  });
}

/** Other attempts under the Idempotency-Key of the sale, which may have had another body. */
function sameKey(log: RequestLog, sale: RequestLogEntry | undefined): RequestLogEntry[] {
  const keyOf = ({ request }: RequestLogEntry) => headerOf(request.headers, 'idempotency-key');
  const key = sale && keyOf(sale);
  if (!sale || key === undefined || sale.keyId === null) return [];
  const filter = { endpoints: [SALES], keyId: sale.keyId, mentions: key };
  return log.list(filter, { limit: MAX_READS }).filter((entry) => keyOf(entry) === key);
}

/** What an operator did to the clock and to the deliveries since the order was recorded. */
function surroundings(log: RequestLog, { order, events, deliveries }: OrderFacts) {
  const ids = new Set([...events, ...deliveries].map(({ id }) => id));
  return log
    .list(
      { endpoints: [...CLOCK_ACTS, RESEND, RETRY, RESTORE], from: order.createdAt },
      { limit: MAX_ACTS },
    )
    .filter(({ endpoint, target, status }) =>
      endpoint === RESEND || endpoint === RETRY
        ? target.split(/[/?]/).some((part) => ids.has(part))
        : status === 200,
    );
}

function mentions({ target, request, response, trace }: RequestLogEntry, text: string): boolean {
  return [target, request.body, response.body, JSON.stringify(trace)].some((part) =>
    part?.includes(text),
  );
}

function sellsDomain({ endpoint, request }: RequestLogEntry, domain: string): boolean {
  return endpoint === SALES && jsonOf(request.body)?.domain === domain;
}

/** The body of a request or response; undefined if it is not a JSON object, or the log has only its beginning. */
export function jsonOf(body: string | null): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body ?? '');
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns when requests that moved the clock began, in sandbox time. The log has the time at their end; the beginning
 * follows from what was asked, or from the request before.
 */
export function clockStarts(
  log: RequestLog,
  entries: readonly RequestLogEntry[],
): Map<number, number> {
  return new Map(
    entries.filter(movesClock).map((entry) => {
      const by = jsonOf(entry.request.body)?.by;
      const ms = typeof by === 'string' ? parseDuration(by) : undefined;
      if (ms !== undefined) return [entry.seq, entry.at - ms];
      const [before] = log.listSpan({}, { first: entry.seq - 1, last: entry.seq - 1 });
      if (!before) return [entry.seq, entry.at];
      const offset = before.at - before.receivedAt - before.durationUs / 1_000;
      const isFrozen = JSON.stringify(jsonOf(entry.response.body) ?? {}).includes('"frozen":true');
      const start = isFrozen ? before.at : entry.receivedAt + offset;
      return [entry.seq, Math.min(entry.at, Math.max(before.at, Math.round(start)))];
    }),
  );
}
