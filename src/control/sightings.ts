import { and, count, desc, eq, or } from 'drizzle-orm';
import type { EventType } from '../events/catalogue.ts';
import { isoTime } from '../kernel/time.ts';
import { timelineOf } from '../market/orders/orders.ts';
import { deliveries, events } from '../store/schema/events.ts';
import type { DeliveryStatus, OrderStatus } from '../store/schema/words.ts';
import type { Tx } from '../store/transaction.ts';

/** What waiting looks for. */
export interface Sought {
  /** Order for `order`; order, case, event or delivery id otherwise. */
  id?: string | undefined;
  state?: OrderStatus | undefined;
  type?: EventType | undefined;
  status?: DeliveryStatus | undefined;
}

/** How many fit, and a line each about what was there, newest first, nearest misses included. */
export interface Sighting {
  count: number;
  seen: string[];
}

const SHOWN = 10;

/** An order fits once it has been in the state, even if it has moved on since. */
export function sightOrder(tx: Tx, { id = '', state }: Sought): Sighting {
  const timeline = timelineOf(tx, id);
  return {
    count: timeline.some((entry) => entry.status === state) ? 1 : 0,
    seen: timeline.map((entry) => `${entry.status} at ${isoTime(entry.at)}`).reverse(),
  };
}

export function sightEvents(tx: Tx, { id, type }: Sought): Sighting {
  const about = id === undefined ? undefined : aboutId(id);
  const fitting = and(about, type === undefined ? undefined : eq(events.type, type));
  const fits = tx.db.select({ n: count() }).from(events).where(fitting).get()?.n ?? 0;
  const shown = tx.db
    .select()
    .from(events)
    .where(fits > 0 ? fitting : about)
    .orderBy(desc(events.id))
    .limit(SHOWN)
    .all();
  return {
    count: fits,
    seen: shown.map((event) => `${event.type} for ${event.subjectId} (${event.id})`),
  };
}

/** Deliveries that have arrived, unless another status is asked for. */
export function sightDeliveries(tx: Tx, { id, type, status = 'delivered' }: Sought): Sighting {
  const about = and(
    id === undefined ? undefined : or(aboutId(id), eq(deliveries.id, id)),
    type === undefined ? undefined : eq(events.type, type),
  );
  const ofEvent = eq(events.id, deliveries.eventId);
  const fits = tx.db
    .select({ n: count() })
    .from(deliveries)
    .innerJoin(events, ofEvent)
    .where(and(about, eq(deliveries.status, status)))
    .get();
  const shown = tx.db
    .select({ delivery: deliveries, event: events })
    .from(deliveries)
    .innerJoin(events, ofEvent)
    .where(about)
    .orderBy(desc(deliveries.id))
    .limit(SHOWN)
    .all();
  return {
    count: fits?.n ?? 0,
    seen: shown.map(
      ({ delivery, event }) =>
        `${event.type} for ${event.subjectId} ${delivery.status} after ${delivery.attemptCount} attempt(s) (${delivery.id})`,
    ),
  };
}

function aboutId(id: string) {
  return or(eq(events.subjectId, id), eq(events.id, id));
}
