import { z } from 'zod';
import { EVENT_TYPES } from '../events/event-types.ts';
import { type EventRow, listAllEvents, queueDelivery, requireEvent } from '../events/events.ts';
import { oneOf, pageQuery, text } from '../http/fields.ts';
import { conflict } from '../kernel/errors.ts';
import type { Fields } from '../kernel/resource.ts';
import { withPartner } from '../market/partners/credentials.ts';
import type { NamedOwner } from '../store/owner-fields.ts';
import { mapPage } from '../store/paging.ts';
import { DELIVERY_STATUSES } from '../store/schema/enums.ts';
import type { Owner } from '../store/schema/partners.ts';
import {
  listDeliveries,
  requireDelivery,
  retryDelivery,
  withAttempts,
} from '../webhooks/deliveries.ts';
import { type DeliveryWithAttempts, delivery, deliveryPage } from '../webhooks/delivery.ts';
import { controlEvent, controlEventPage } from '../webhooks/event.ts';
import { findRegistration } from '../webhooks/registrations.ts';
import { get, named, post } from './endpoint.ts';

const deliveryDetail = delivery.extend(
  'DeliveryDetail',
  'A delivery with its event.',
  ({ object }: Fields<DeliveryWithAttempts & { event: EventRow & NamedOwner }>) => ({
    event: object(controlEvent),
  }),
);

export const eventEndpoints = named({
  listEvents: get('/events', {
    summary: 'List events of every partner, newest first.',
    description: 'Events of a fired webhook are not part of the history.',
    query: () =>
      z.object({
        type: oneOf(EVENT_TYPES).optional().describe('Only events of this type.'),
        subject_id: text().optional().describe('Only events about this order or brokerage case.'),
        ...pageQuery(),
      }),
    response: controlEventPage,
    read: ({ tx, query: { type, subject_id: subjectId, ...page } }) =>
      mapPage(listAllEvents(tx, { type, subjectId }, page), (row) => withPartner(tx, row)),
  }),

  postEventResend: post('/events/:id/resend', {
    summary: 'Deliver an event again, to the currently registered webhook.',
    description: 'Creates a new delivery with the same event id and a new retry schedule.',
    status: 201,
    response: delivery,
    write: ({ tx, params }) => {
      const event = requireEvent(tx, params.id);
      const deliveryId = queueDelivery(tx, event);
      if (deliveryId === undefined) throw notRegistered(event);
      return withAttempts(tx, requireDelivery(tx, deliveryId));
    },
  }),

  getDeliveries: get('/deliveries', {
    summary: 'List webhook deliveries with their attempts, newest first.',
    description: 'Each delivery has its attempts and the time of the next one.',
    query: () =>
      z.object({
        event_id: text().optional().describe('Only deliveries of this event.'),
        status: oneOf(DELIVERY_STATUSES).optional().describe('Only deliveries in this state.'),
        ...pageQuery(),
      }),
    response: deliveryPage,
    read: ({ tx, query: { event_id: eventId, status, ...page } }) =>
      mapPage(listDeliveries(tx, { eventId, status }, page), (row) => withAttempts(tx, row)),
  }),

  getDelivery: get('/deliveries/:id', {
    summary: 'Show a delivery with its event and attempts.',
    description: 'With its event as it is sent, and all attempts.',
    response: deliveryDetail,
    read: ({ tx, params }) => {
      const row = requireDelivery(tx, params.id);
      return { ...withAttempts(tx, row), event: withPartner(tx, requireEvent(tx, row.eventId)) };
    },
  }),

  postDeliveryRetry: post('/deliveries/:id/retry', {
    summary: 'Retry a delivery now.',
    description:
      'The attempt is made at once, without waiting for the retry schedule. 409 `conflict` if the delivery has arrived.',
    response: delivery,
    write: ({ tx, params }) => {
      const row = requireDelivery(tx, params.id);
      if (!findRegistration(tx, row)) throw notRegistered(row);
      return withAttempts(tx, retryDelivery(tx, row));
    },
  }),
});

function notRegistered({ partnerId, environment }: Owner) {
  return conflict(
    `no webhook is registered for ${partnerId} in ${environment}; register one with PUT /api/partner/webhooks`,
  );
}
