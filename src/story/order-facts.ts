import type { EventRow } from '../events/record-event.ts';
import type { OrderRow, TimelineEntryRow } from '../market/orders/orders.ts';
import type { ScheduledMove } from '../market/orders/scheduled-moves.ts';
import type { DeliveryWithAttempts } from '../webhooks/delivery.ts';

/** What the database knows about an order; lists are oldest first. */
export interface OrderFacts {
  order: OrderRow;
  timeline: readonly TimelineEntryRow[];
  events: readonly EventRow[];
  deliveries: readonly DeliveryWithAttempts[];
  scheduled: ScheduledMove | undefined;
  /** Sandbox time, Unix ms. */
  now: number;
}
