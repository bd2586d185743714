import { z } from 'zod';
import { EVENT_TYPES } from '../events/event-types.ts';
import { type EventRow, listAllEvents, queueDelivery, requireEvent } from '../events/events.ts';
import { pageQuery, text } from '../http/fields.ts';
import { conflict } from '../kernel/errors.ts';
import { type Fields, jsonResource, type Output } from '../kernel/resource.ts';
import { withPartner } from '../market/partners/credentials.ts';
import type { NamedOwner } from '../store/owner-fields.ts';
import { mapPage } from '../store/paging.ts';
import { DELIVERY_STATUSES } from '../store/schema/enums.ts';
import type { Owner } from '../store/schema/partners.ts';
import { requireDelivery, retryDelivery, withAttempts } from '../webhooks/deliveries.ts';
import {
  type AttemptRow,
  type DeliveryWithAttempts,
  delivery,
  deliveryAttempt,
  deliveryPage,
} from '../webhooks/delivery.ts';
import { controlEvent, controlEventPage, deliveredEvent } from '../webhooks/event.ts';
import { listDeliveries } from '../webhooks/list-deliveries.ts';
import { findRegistration } from '../webhooks/registrations.ts';
import { webhookHeaders } from '../webhooks/send.ts';
import { get, named, post } from './endpoint.ts';

const answeredAttempt = deliveryAttempt.extend(
  'AnsweredAttempt',
  'The result of one attempt, with the first 1,000 characters of the response, without secrets.',
  ({ text }: Fields<AttemptRow>) => ({ response: text().nullable() }),
);

const sentWebhook = jsonResource(
  'SentWebhook',
  'What an attempt sends: its headers, without the signature, and the body, whose bytes the signature signs.',
  () => ({ headers: z.record(z.string(), z.string()), body: z.string() }),
);

interface DeliveryDetailRow extends DeliveryWithAttempts {
  event: EventRow & NamedOwner;
  request: Output<typeof sentWebhook>;
}

const deliveryDetail = delivery.extend(
  'DeliveryDetail',
  'A delivery with its event, what is sent, and the responses.',
  ({ object, list }: Fields<DeliveryDetailRow>) => ({
    event: object(controlEvent),
    request: object(sentWebhook),
    attempts: list(answeredAttempt),
  }),
);

export const eventEndpoints = named({
  listEvents: get('/events', {
    summary: 'List events of every partner, newest first.',
    description: 'Events of a fired webhook are not part of the history.',
    query: () =>
      z.object({
        type: z.enum(EVENT_TYPES).optional().describe('Only events of this type.'),
        subject_id: text().optional().describe('Only events about this order or brokerage case.'),
        event_id: text().optional().describe('Only this event.'),
        ...pageQuery(),
      }),
    response: controlEventPage,
    read: ({ tx, query: { type, subject_id: subjectId, event_id: id, ...page } }) => {
      const list = listAllEvents(tx, { id, type, subjectId }, page);
      return mapPage(list, (row) => withPartner(tx, row));
    },
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
    query: () =>
      z.object({
        event_id: text().optional().describe('Only deliveries of this event.'),
        status: z.enum(DELIVERY_STATUSES).optional().describe('Only deliveries in this state.'),
        ...pageQuery(),
      }),
    response: deliveryPage,
    read: ({ tx, query: { event_id: eventId, status, ...page } }) => {
      const list = listDeliveries(tx, { eventId, status }, page);
      return mapPage(list, (row) => withAttempts(tx, row));
    },
  }),

  getDelivery: get('/deliveries/:id', {
    summary: 'Show a delivery with its event, what is sent, and all attempts.',
    response: deliveryDetail,
    read: ({ tx, params }) => {
      const row = withAttempts(tx, requireDelivery(tx, params.id));
      const event = withPartner(tx, row.event);
      const body = JSON.stringify(deliveredEvent.view(event));
      const headers = webhookHeaders(body, '[redacted]');
      return { ...row, event, request: { headers, body } };
    },
  }),

  postDeliveryRetry: post('/deliveries/:id/retry', {
    summary: 'Retry a delivery now.',
    description: '409 `conflict` if the delivery has arrived.',
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
