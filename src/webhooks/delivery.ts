import type { InferSelectModel } from 'drizzle-orm';
import { EVENT_TYPES } from '../events/event-types.ts';
import { domainOf, type EventRow } from '../events/events.ts';
import type { Tone } from '../kernel/columns.ts';
import { countedPage, type Fields, type Output, resource } from '../kernel/resource.ts';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../store/schema/enums.ts';
import type { deliveries, deliveryAttempts } from '../store/schema/events.ts';

export type DeliveryRow = InferSelectModel<typeof deliveries>;
export type AttemptRow = InferSelectModel<typeof deliveryAttempts>;

const DELIVERY_TONES: Record<DeliveryStatus, Tone> = {
  delivered: 'success',
  failed: 'error',
  pending: 'warning',
};

export const deliveryAttempt = resource(
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
    http_status: 'Status',
    duration_ms: ['Took', (item) => `${item.duration_ms} ms`, 'count'],
  },
  ['at', 'outcome', 'duration_ms'],
);

export type DeliveryAttempt = Output<typeof deliveryAttempt>;
export type DeliveryWithAttempts = DeliveryRow & { attempts: AttemptRow[]; event: EventRow };

export const delivery = resource(
  'Delivery',
  'The delivery of an event to a webhook URL.',
  ({ id, text, oneOf, list, time }: Fields<DeliveryWithAttempts>) => ({
    delivery_id: id('dlv').from((row) => row.id),
    event_id: id('evt'),
    event_type: oneOf(EVENT_TYPES).from(({ event }) => event.type),
    subject_id: text().from(({ event }) => event.subjectId),
    domain: text()
      .nullable()
      .from(({ event }) => domainOf(event) ?? null),
    url: text(),
    status: oneOf(DELIVERY_STATUSES).tone((status) => DELIVERY_TONES[status]),
    attempts: list(deliveryAttempt),
    last_response: text().nullable().from(lastResponse),
    next_attempt_at: time().nullable(),
    created_at: time(),
  }),
).display(
  {
    delivery_id: 'Delivery',
    event_type: 'Event',
    event_id: 'Event ID',
    subject_id: 'About',
    domain: 'Domain',
    url: 'URL',
    status: 'Status',
    tries: ['Tries', (item) => item.attempts.length, 'count'],
    last_response: ['Last response', (item) => item.last_response],
    next_attempt_at: 'Next attempt',
    created_at: 'Created',
    attempts: 'Attempts',
  },
  [
    'delivery_id',
    'event_type',
    'status',
    'last_response',
    'domain',
    'tries',
    'url',
    'next_attempt_at',
    'created_at',
  ],
);

/** Returns the status of the last response, or why there was none. */
function lastResponse({ attempts }: DeliveryWithAttempts): string | null {
  const lastAttempt = attempts.at(-1);
  if (!lastAttempt) return null;
  return lastAttempt.httpStatus === null ? lastAttempt.outcome : String(lastAttempt.httpStatus);
}

export type Delivery = Output<typeof delivery>;
export const deliveryPage = countedPage(delivery, 'DeliveryPage', 'deliveries');
