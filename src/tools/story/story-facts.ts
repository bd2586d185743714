import { parseIsoTime } from '../../kernel/time.ts';
import { requireOrder, timelineOf } from '../../market/orders/orders.ts';
import { withPartner } from '../../market/partners/credentials.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import type { RequestLog } from '../../requests/request-log.ts';
import { deliveries, events } from '../../store/schema/events.ts';
import { lister } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { withAttempts } from '../../webhooks/deliveries.ts';
import type { World } from '../../world/world.ts';
import {
  clockStarts,
  jsonOf,
  type OrderFacts,
  RESTORE,
  relatedRequests,
} from './related-requests.ts';

export interface StoryFacts extends OrderFacts {
  /** Oldest first. */
  requests: readonly RequestLogEntry[];
  /** The sandbox time at which each request that moved the clock began, by the number of its log entry. */
  clockStarts: ReadonlyMap<number, number>;
}

const eventsOf = lister(events, 'subjectId');
const deliveriesOf = lister(deliveries, 'eventId');

/** @throws not_found */
export function readStoryFacts(world: World, log: RequestLog, orderId: string): StoryFacts {
  const facts = world.read((tx) => readOrderFacts(tx, withPartner(tx, requireOrder(tx, orderId))));
  const requests = relatedRequests(log, facts).map(atRestoredTime);
  return { ...facts, requests, clockStarts: clockStarts(log, requests) };
}

/** Gives a restore the time to which it turned the clock back; the log has the time at which it began. */
function atRestoredTime(entry: RequestLogEntry): RequestLogEntry {
  if (entry.endpoint !== RESTORE) return entry;
  const { now } = (jsonOf(entry.response.body)?.clock ?? {}) as { now?: unknown };
  return { ...entry, at: (typeof now === 'string' ? parseIsoTime(now) : undefined) ?? entry.at };
}

function readOrderFacts(tx: Tx, order: OrderFacts['order']): OrderFacts {
  const emitted = eventsOf(tx, order.id);
  return {
    order,
    timeline: timelineOf(tx, order),
    events: emitted,
    deliveries: emitted.flatMap(({ id }) =>
      deliveriesOf(tx, id).map((row) => withAttempts(tx, row)),
    ),
  };
}
