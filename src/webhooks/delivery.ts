import type { InferSelectModel } from 'drizzle-orm';
import type { Tone } from '../kernel/columns.ts';
import { type Fields, type Output, resource } from '../kernel/resource.ts';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../store/schema/enums.ts';
import type { deliveries, deliveryAttempts } from '../store/schema/events.ts';

export type DeliveryRow = InferSelectModel<typeof deliveries>;
export type AttemptRow = InferSelectModel<typeof deliveryAttempts>;

const TONES: Record<DeliveryStatus, Tone> = {
  delivered: 'success',
  failed: 'error',
  pending: 'warning',
};

const deliveryAttempt = resource(
  'DeliveryAttempt',
  'The result of one attempt; only `ok` is success.',
  ({ time, text, count }: Fields<AttemptRow>) => ({
    at: time(),
    outcome: text(),
    http_status: count().nullable(),
    duration_ms: count(),
  }),
).display(
  {
    at: 'At',
    outcome: [
      'Outcome',
      (item) => item.outcome,
      'status',
      (item) => (item.outcome === 'ok' ? 'success' : 'error'),
    ],
    duration_ms: ['Took', (item) => `${item.duration_ms} ms`, 'count'],
  },
  ['at', 'outcome', 'duration_ms'],
);

export type DeliveryWithAttempts = DeliveryRow & { attempts: AttemptRow[] };

export const delivery = resource(
  'Delivery',
  'The delivery of an event to a webhook URL.',
  ({ id, text, oneOf, list, time }: Fields<DeliveryWithAttempts>) => ({
    delivery_id: id('dlv').from((row) => row.id),
    event_id: id('evt'),
    url: text(),
    status: oneOf(DELIVERY_STATUSES).tone((status) => TONES[status]),
    attempts: list(deliveryAttempt),
    next_attempt_at: time().nullable(),
  }),
).display(
  {
    delivery_id: 'Delivery',
    event_id: 'Event',
    url: 'URL',
    status: 'Status',
    tries: ['Tries', (item) => item.attempts.length, 'count'],
    last: ['Last', (item) => item.attempts.at(-1)?.outcome, 'status'],
    next_attempt_at: 'Next attempt',
    attempts: 'Attempts',
  },
  ['delivery_id', 'event_id', 'status', 'tries', 'last', 'next_attempt_at'],
);
export type Delivery = Output<typeof delivery>;
export const deliveryPage = delivery.page('DeliveryPage', 'deliveries');
