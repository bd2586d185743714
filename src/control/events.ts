import { z } from 'zod';
import { EVENT_TYPES } from '../events/event-types.ts';
import { listAllEvents, requireEvent } from '../events/list-events.ts';
import { type EventRow, eventView, queueDelivery } from '../events/record-event.ts';
import { oneOf, pageQuery, text } from '../http/fields.ts';
import { conflict } from '../kernel/errors.ts';
import { documented } from '../kernel/resource.ts';
import { DELIVERY_STATUSES } from '../store/schema/enums.ts';
import type { Owner } from '../store/schema/partners.ts';
import {
  deliveryView,
  listDeliveries,
  requireDelivery,
  retryDelivery,
} from '../webhooks/deliveries.ts';
import { deliveryPageSchema, deliverySchema } from '../webhooks/delivery-schema.ts';
import { findRegistration } from '../webhooks/registrations.ts';
import { controlEndpoint } from './endpoint.ts';
import { deliveryDetailSchema, operatorEventPageSchema } from './event-schemas.ts';
import { ownerView } from './owner-view.ts';

const id = z.object({ id: z.string() });

export const getAllEvents = controlEndpoint({
  name: 'getAllEvents',
  method: 'GET',
  path: '/events',
  summary: 'Events of every partner, newest first.',
  query: () =>
    z.object({
      type: oneOf(EVENT_TYPES).optional(),
      subject_id: text().optional(),
      ...pageQuery(),
    }),
  status: 200,
  response: documented(operatorEventPageSchema),
  read: ({ tx, query: { cursor, limit, type, subject_id: subjectId } }) => {
    const { rows, next_cursor } = listAllEvents(tx, { type, subjectId }, { cursor, limit });
    return { events: rows.map(operatorEventView), next_cursor };
  },
});

export const postEventResend = controlEndpoint({
  name: 'postEventResend',
  method: 'POST',
  path: '/events/:id/resend',
  summary: 'Delivers an event once more, to the url registered now.',
  params: () => id,
  body: () => z.strictObject({}),
  errors: { conflict: '' },
  status: 201,
  response: documented(deliverySchema),
  write: ({ tx, params }) => {
    const event = requireEvent(tx, params.id);
    const deliveryId = queueDelivery(tx, event);
    if (deliveryId === undefined) throw nobodyRegistered(event);
    return deliveryView(tx, requireDelivery(tx, deliveryId));
  },
});

export const getDeliveries = controlEndpoint({
  name: 'getDeliveries',
  method: 'GET',
  path: '/deliveries',
  summary: 'Webhook deliveries with their attempts, newest first.',
  query: () =>
    z.object({
      event_id: text().optional(),
      status: oneOf(DELIVERY_STATUSES).optional(),
      ...pageQuery(),
    }),
  status: 200,
  response: documented(deliveryPageSchema),
  read: ({ tx, query: { cursor, limit, event_id: eventId, status } }) => {
    const { rows, next_cursor } = listDeliveries(tx, { eventId, status }, { cursor, limit });
    return { deliveries: rows.map((row) => deliveryView(tx, row)), next_cursor };
  },
});

export const getDelivery = controlEndpoint({
  name: 'getDelivery',
  method: 'GET',
  path: '/deliveries/:id',
  summary: 'One delivery with its event and attempts.',
  params: () => id,
  status: 200,
  response: documented(deliveryDetailSchema),
  read: ({ tx, params }) => {
    const delivery = requireDelivery(tx, params.id);
    return {
      ...deliveryView(tx, delivery),
      event: operatorEventView(requireEvent(tx, delivery.eventId)),
    };
  },
});

export const postDeliveryRetry = controlEndpoint({
  name: 'postDeliveryRetry',
  method: 'POST',
  path: '/deliveries/:id/retry',
  summary: 'Makes a delivery that has not arrived due now.',
  params: () => id,
  body: () => z.strictObject({}),
  errors: { conflict: '' },
  status: 200,
  response: documented(deliverySchema),
  write: ({ tx, params }) => {
    const delivery = requireDelivery(tx, params.id);
    if (!findRegistration(tx, delivery)) throw nobodyRegistered(delivery);
    return deliveryView(tx, retryDelivery(tx, delivery));
  },
});

function nobodyRegistered({ partnerId, environment }: Owner) {
  return conflict(
    `no webhook url is registered for ${partnerId} in ${environment}; PUT /api/partner/webhooks registers one`,
  );
}

export type ControlEvent = ReturnType<typeof operatorEventView>;

function operatorEventView(event: EventRow) {
  return { ...eventView(event), ...ownerView(event), subject_id: event.subjectId };
}
