import { and, desc, eq, inArray, or } from 'drizzle-orm';
import type { EventType } from '../events/catalogue.ts';
import { isoTime } from '../kernel/time.ts';
import { findOrder, timelineOf } from '../market/orders/orders.ts';
import { type DeliveryStatus, deliveries, events } from '../store/schema/events.ts';
import type { OrderStatus } from '../store/schema/orders.ts';
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
  const order = findOrder(tx, id);
  if (!order) return { count: 0, seen: [`there is no order ${id}`] };
  const timeline = timelineOf(tx, id);
  return {
    count: timeline.some((entry) => entry.status === state) ? 1 : 0,
    seen: timeline.map((entry) => `${entry.status} at ${isoTime(entry.at)}`).reverse(),
  };
}

export function sightEvents(tx: Tx, sought: Sought): Sighting {
  const rows = tx.db
    .select()
    .from(events)
    .where(sought.id === undefined ? undefined : aboutId(sought.id))
    .orderBy(desc(events.id))
    .all();
  const fitting = rows.filter((row) => sought.type === undefined || row.type === sought.type);
  const shown = fitting.length > 0 ? fitting : rows;
  return {
    count: fitting.length,
    seen: shown.slice(0, SHOWN).map((row) => `${row.type} for ${row.subjectId} (${row.id})`),
  };
}

/** Deliveries that have arrived, unless another status is asked for. */
export function sightDeliveries(tx: Tx, sought: Sought): Sighting {
  const rows = tx.db
    .select({ delivery: deliveries, event: events })
    .from(deliveries)
    .innerJoin(events, eq(events.id, deliveries.eventId))
    .where(
      and(
        sought.id === undefined ? undefined : or(aboutId(sought.id), eq(deliveries.id, sought.id)),
        sought.type === undefined ? undefined : inArray(events.type, [sought.type]),
      ),
    )
    .orderBy(desc(deliveries.id))
    .all();
  const wanted = sought.status ?? 'delivered';
  const fitting = rows.filter(({ delivery }) => delivery.status === wanted);
  return {
    count: fitting.length,
    seen: rows
      .slice(0, SHOWN)
      .map(
        ({ delivery, event }) =>
          `${event.type} for ${event.subjectId} ${delivery.status} after ${delivery.attemptCount} attempt(s) (${delivery.id})`,
      ),
  };
}

function aboutId(id: string) {
  return or(eq(events.subjectId, id), eq(events.id, id));
}
