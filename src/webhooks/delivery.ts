import type { InferSelectModel } from 'drizzle-orm';
import { type Fields, type Output, resource } from '../kernel/resource.ts';
import { DELIVERY_STATUSES } from '../store/schema/enums.ts';
import type { deliveries, deliveryAttempts } from '../store/schema/events.ts';

export type DeliveryRow = InferSelectModel<typeof deliveries>;
export type AttemptRow = InferSelectModel<typeof deliveryAttempts>;

const deliveryAttempt = resource(
  'DeliveryAttempt',
  'The result of one attempt; only `ok` is success.',
  ({ time, text, count }: Fields<AttemptRow>) => ({
    at: time(),
    outcome: text(),
    http_status: count().nullable(),
    duration_ms: count(),
  }),
);

/** A delivery with the rows of its attempts. */
export type DeliveryWithAttempts = DeliveryRow & { attempts: AttemptRow[] };

export const delivery = resource(
  'Delivery',
  'The delivery of an event to a webhook URL.',
  ({ id, text, oneOf, list, time }: Fields<DeliveryWithAttempts>) => ({
    delivery_id: id('dlv').from((row) => row.id),
    event_id: id('evt'),
    url: text(),
    status: oneOf(DELIVERY_STATUSES),
    attempts: list(deliveryAttempt),
    next_attempt_at: time().nullable(),
  }),
);
export type Delivery = Output<typeof delivery>;
export const deliveryPage = delivery.page('DeliveryPage', 'deliveries');
